/** What webhooks were sent, what waits, and how far each has read each log, in D1. Times are milliseconds since the epoch. */
import { z } from "zod";
import { rootField, type WebhookDelivery } from "../catalogues/webhooks.js";
import { defined } from "../conversation/defined.js";
import { type AfterTry, deliveryStatuses } from "../conversation/delivery.js";
import { all, batch, type Database, first, hasChanged, run, type Sql, sql } from "../platform/sql.js";
import { integer, number, text, textOrNull } from "./columns.js";

const deliveryRow = z.object({
  delivery_id: text,
  root_id: text,
  seq: integer,
  type: text,
  status: z.enum(deliveryStatuses),
  attempts: integer,
  next_at: number,
  failure: textOrNull,
  created_at: number,
  updated_at: number,
});

const parkedRow = z.object({ name: text, parked: integer });
const cursorRow = z.object({ cursor: z.number().nullable() });
const streamRow = z
  .object({ tenant_id: z.string(), name: z.string(), root_id: z.string() })
  .transform(({ tenant_id, name, root_id }): StreamOf => ({ tenantId: tenant_id, name, rootId: root_id }));

export interface PendingDelivery {
  readonly deliveryId: string;
  readonly seq: number;
  readonly attempts: number;
  readonly nextAt: number;
}

/** A subscription's place in the events of a session, run or roundtable. */
export interface StreamOf {
  readonly tenantId: string;
  readonly name: string;
  readonly rootId: string;
}

/** Who sends from a stream holds it until then, in milliseconds since the epoch; `cursor`: up to where its events were read. */
export interface StreamLease {
  readonly until: number;
  readonly cursor: number | undefined;
}

const oweAgain = sql`
  ON CONFLICT DO UPDATE SET again = 1, due_at = MIN(COALESCE(due_at, excluded.due_at), excluded.due_at)`;

/**
 * Something happened in a session, run or roundtable: all that subscribe are owed a look at it. Returns their names.
 * @param now milliseconds since the epoch
 */
export function owedToAll(tenantId: string, rootId: string, now: number): Sql {
  return sql`INSERT INTO webhook_streams (tenant_id, name, root_id, leased_until, again, due_at)
    SELECT tenant_id, name, ${rootId}, 0, 1, ${now} FROM webhooks
    WHERE tenant_id = ${tenantId} AND status = 'active' ${oweAgain} RETURNING name`;
}

export class WebhookDeliveries {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
  ) {}

  /**
   * Takes a stream to send from it, if nobody else does; the holder learns that there is more. Should the holder die, the stream is due
   * when its lease ends.
   */
  async claim(of: StreamOf, leaseMs: number): Promise<StreamLease | undefined> {
    const { tenantId, name, rootId } = of;
    const now = this.now();
    const until = now + leaseMs;
    const row = await first(this.db, cursorRow)`
      INSERT INTO webhook_streams (tenant_id, name, root_id, leased_until, due_at)
      VALUES (${tenantId}, ${name}, ${rootId}, ${until}, ${until}) ON CONFLICT DO UPDATE
      SET leased_until = ${until}, due_at = ${until}, again = 0 WHERE leased_until <= ${now} RETURNING cursor`;
    if (row !== undefined) return { until, cursor: row.cursor ?? undefined };
    await run(this.db)`UPDATE webhook_streams SET again = 1 WHERE ${isOf(of)}`;
    return undefined;
  }

  /**
   * Lets a stream go, or finds that it is gone. False when something happened meanwhile: then it is still held, to be looked at again.
   * @param dueAt when the next try is due; without one nothing is owed
   */
  async release(of: StreamOf, { until }: StreamLease, dueAt?: number): Promise<boolean> {
    const held = sql`${isOf(of)} AND leased_until = ${until}`;
    const [, again] = await batch(this.db, [
      sql`UPDATE webhook_streams SET leased_until = 0, due_at = ${dueAt} WHERE ${held} AND again = 0`,
      sql`UPDATE webhook_streams SET again = 0 WHERE ${held}`,
    ]);
    return !hasChanged(again);
  }

  /** Nothing is owed of a stream any more: its subscription is switched off. */
  async rest(of: StreamOf): Promise<void> {
    await run(this.db)`UPDATE webhook_streams SET due_at = NULL WHERE ${isOf(of)}`;
  }

  /** The oldest that waits to be sent. */
  async head(of: StreamOf): Promise<PendingDelivery | undefined> {
    const row = await first(this.db, deliveryRow)`
      SELECT * FROM webhook_deliveries WHERE ${isOf(of)} AND status = 'pending' ORDER BY seq LIMIT 1`;
    return row && { deliveryId: row.delivery_id, seq: row.seq, attempts: row.attempts, nextAt: row.next_at };
  }

  /** Notes what is to be sent, and up to where the events were read, in one. */
  async note(
    of: StreamOf,
    events: readonly { readonly deliveryId: string; readonly seq: number; readonly type: string }[],
    cursor: number,
  ): Promise<void> {
    const now = this.now();
    const { tenantId, name, rootId } = of;
    await batch(this.db, [
      ...events.map(
        ({ deliveryId, seq, type }) =>
          sql`INSERT INTO webhook_deliveries (delivery_id, tenant_id, name, root_id, seq, type, status, next_at,
              created_at, updated_at)
            VALUES (${deliveryId}, ${tenantId}, ${name}, ${rootId}, ${seq}, ${type}, 'pending', ${now}, ${now}, ${now})
            ON CONFLICT DO NOTHING`,
      ),
      sql`UPDATE webhook_streams SET cursor = ${cursor} WHERE ${isOf(of)}`,
    ]);
  }

  /** Notes how a try ended, and what comes after it. */
  async settle(
    { tenantId, name }: Pick<StreamOf, "tenantId" | "name">,
    { deliveryId, attempts }: Pick<PendingDelivery, "deliveryId" | "attempts">,
    after: AfterTry,
  ): Promise<void> {
    const now = this.now();
    const failure = after.status === "delivered" ? undefined : after.failure;
    const nextAt = after.status === "pending" ? now + after.waitMs : now;
    const health =
      failure === undefined ? sql`last_success_at = ${now}` : sql`last_failure_at = ${now}, last_failure = ${failure}`;
    await batch(this.db, [
      sql`UPDATE webhook_deliveries
        SET status = ${after.status}, attempts = ${attempts}, failure = ${failure}, next_at = ${nextAt},
          updated_at = ${now}
        WHERE delivery_id = ${deliveryId}`,
      sql`UPDATE webhooks SET ${health} WHERE tenant_id = ${tenantId} AND name = ${name}`,
    ]);
  }

  /** Switches a subscription off whose receiver is gone for good; what waits is parked, the one that was tried with that try. */
  async disable(
    { tenantId, name }: Pick<StreamOf, "tenantId" | "name">,
    { deliveryId }: Pick<PendingDelivery, "deliveryId">,
    failure: string,
  ): Promise<void> {
    const now = this.now();
    await batch(this.db, [
      sql`UPDATE webhooks SET status = 'disabled', last_failure_at = ${now}, last_failure = ${failure}
        WHERE tenant_id = ${tenantId} AND name = ${name}`,
      sql`UPDATE webhook_deliveries
        SET status = 'parked', failure = ${failure}, updated_at = ${now},
          attempts = attempts + (delivery_id = ${deliveryId})
        WHERE tenant_id = ${tenantId} AND name = ${name} AND status = 'pending'`,
      sql`
        UPDATE webhook_streams SET due_at = NULL WHERE tenant_id = ${tenantId} AND name = ${name} AND due_at IS NOT NULL`,
    ]);
  }

  /** Newest first. @param before the position of the page before */
  async deliveries(
    tenantId: string,
    name: string,
    status: WebhookDelivery["status"] | undefined,
    before: string | undefined,
    limit: number,
  ): Promise<WebhookDelivery[]> {
    return (
      await all(this.db, deliveryRow)`SELECT * FROM webhook_deliveries
        WHERE tenant_id = ${tenantId} AND name = ${name} AND (${status} IS NULL OR status = ${status})
          AND (${before} IS NULL OR delivery_id < ${before})
        ORDER BY delivery_id DESC LIMIT ${limit}`
    ).map(deliveryView);
  }

  /** How many were given up, by webhook; of each no more than that many are counted. */
  async parked(tenantId: string, names: readonly string[], most: number): Promise<ReadonlyMap<string, number>> {
    const rows = await all(this.db, parkedRow)`SELECT value AS name, (SELECT COUNT(*) FROM (
        SELECT 1 FROM webhook_deliveries INDEXED BY webhook_deliveries_parked
        WHERE tenant_id = ${tenantId} AND name = value AND status = 'parked' LIMIT ${most})) AS parked
      FROM json_each(${JSON.stringify(names)})`;
    return new Map(rows.map(({ name, parked }) => [name, parked]));
  }

  /** Has a delivery tried again at once, from the start. */
  async again(tenantId: string, name: string, deliveryId: string): Promise<WebhookDelivery | undefined> {
    const now = this.now();
    const which = sql`delivery_id = ${deliveryId} AND tenant_id = ${tenantId} AND name = ${name}`;
    const [changed] = await batch(this.db, [
      sql`UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_at = ${now}, updated_at = ${now}
        WHERE ${which} RETURNING *`,
      sql`INSERT INTO webhook_streams (tenant_id, name, root_id, leased_until, again, due_at)
        SELECT tenant_id, name, root_id, 0, 1, ${now} FROM webhook_deliveries WHERE ${which} ${oweAgain}`,
    ]);
    const [row] = changed?.results ?? [];
    return row === undefined ? undefined : deliveryView(deliveryRow.parse(row));
  }

  /** Forgets what is known of a session, run or roundtable that is gone. */
  async forget(tenantId: string, rootId: string): Promise<void> {
    const of = sql`WHERE tenant_id = ${tenantId} AND root_id = ${rootId}`;
    await batch(this.db, [
      sql`DELETE FROM webhook_streams INDEXED BY webhook_streams_of_root ${of}`,
      sql`DELETE FROM webhook_deliveries ${of}`,
    ]);
  }

  /**
   * Streams of which something is owed at a time: their job was lost, waits in the queue, or died. They are due again a while later, so
   * that the next to ask gets others.
   */
  async takeOwed(at: number, againMs: number, limit: number): Promise<StreamOf[]> {
    return all(this.db, streamRow)`UPDATE webhook_streams SET due_at = ${at + againMs}
      WHERE (tenant_id, name, root_id) IN (SELECT tenant_id, name, root_id FROM webhook_streams WHERE due_at <= ${at}
        ORDER BY due_at LIMIT ${limit})
      RETURNING tenant_id, name, root_id`;
  }

  /** Has deliveries be owed that wait since long before their stream said so: a version before has noted them. */
  async oweOverdue(before: number): Promise<void> {
    await run(this.db)`UPDATE webhook_streams SET due_at = ${before}
      WHERE due_at IS NULL AND (tenant_id, name, root_id) IN (SELECT tenant_id, name, root_id FROM webhook_deliveries
        WHERE status = 'pending' AND next_at < ${before})`;
  }
}

/** Its rows, of streams and of deliveries. */
function isOf({ tenantId, name, rootId }: StreamOf): Sql {
  return sql`tenant_id = ${tenantId} AND name = ${name} AND root_id = ${rootId}`;
}

const timeOf = (at: number): string => new Date(at).toISOString();

function deliveryView(row: z.infer<typeof deliveryRow>): WebhookDelivery {
  return {
    deliveryId: row.delivery_id,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    eventId: row.seq,
    ...rootField(row.root_id),
    ...(row.status === "pending" ? { nextAttemptAt: timeOf(row.next_at) } : {}),
    ...defined({ failure: row.failure ?? undefined }),
    createdAt: timeOf(row.created_at),
    updatedAt: timeOf(row.updated_at),
  };
}
