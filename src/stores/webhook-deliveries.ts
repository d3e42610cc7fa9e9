/** What webhooks were sent, what waits, and how far each has read each log, in D1. Times are milliseconds since the epoch. */
import { z } from "zod";
import { deliveryStatuses, rootField, type WebhookDelivery } from "../catalogues/webhooks.js";
import type { Database } from "./database.js";

const deliveryRow = z.object({
  delivery_id: z.string(),
  root_id: z.string(),
  seq: z.int(),
  type: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  next_at: z.number(),
  failure: z.string().nullable(),
  created_at: z.number(),
  updated_at: z.number(),
});

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

const oweAgain =
  "ON CONFLICT DO UPDATE SET again = 1, due_at = MIN(COALESCE(due_at, excluded.due_at), excluded.due_at)";

/**
 * Something happened in a session, run or roundtable: all that subscribe are owed a look at it. Gives their names.
 * @param now milliseconds since the epoch
 */
export function owedToAll(db: Database, tenantId: string, rootId: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO webhook_streams (tenant_id, name, root_id, leased_until, again, due_at)
       SELECT tenant_id, name, ?2, 0, 1, ?3 FROM webhooks WHERE tenant_id = ?1 AND status = 'active' ${oweAgain} RETURNING name`,
    )
    .bind(tenantId, rootId, now);
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
  async claim({ tenantId, name, rootId }: StreamOf, leaseMs: number): Promise<StreamLease | undefined> {
    const now = this.now();
    const until = now + leaseMs;
    const row = await this.db
      .prepare(
        `INSERT INTO webhook_streams (tenant_id, name, root_id, leased_until, due_at) VALUES (?1, ?2, ?3, ?4, ?4)
         ON CONFLICT DO UPDATE SET leased_until = ?4, due_at = ?4, again = 0 WHERE leased_until <= ?5 RETURNING cursor`,
      )
      .bind(tenantId, name, rootId, until, now)
      .first<{ cursor: number | null }>();
    if (row !== null) return { until, cursor: row.cursor ?? undefined };
    await this.db
      .prepare("UPDATE webhook_streams SET again = 1 WHERE tenant_id = ? AND name = ? AND root_id = ?")
      .bind(tenantId, name, rootId)
      .run();
    return undefined;
  }

  /**
   * Lets a stream go, or finds that it is gone. False when something happened meanwhile: then it is still held, to be looked at again.
   * @param dueAt when the next try is due; without one nothing is owed
   */
  async release({ tenantId, name, rootId }: StreamOf, { until }: StreamLease, dueAt?: number): Promise<boolean> {
    const of = "WHERE tenant_id = ?1 AND name = ?2 AND root_id = ?3 AND leased_until = ?4";
    const bound = [tenantId, name, rootId, until] as const;
    const [, again] = await this.db.batch([
      this.db
        .prepare(`UPDATE webhook_streams SET leased_until = 0, due_at = ?5 ${of} AND again = 0`)
        .bind(...bound, dueAt ?? null),
      this.db.prepare(`UPDATE webhook_streams SET again = 0 ${of}`).bind(...bound),
    ]);
    return (again?.meta.changes ?? 0) === 0;
  }

  /** Nothing is owed of a stream any more: its subscription is switched off. */
  async rest({ tenantId, name, rootId }: StreamOf): Promise<void> {
    await this.db
      .prepare("UPDATE webhook_streams SET due_at = NULL WHERE tenant_id = ? AND name = ? AND root_id = ?")
      .bind(tenantId, name, rootId)
      .run();
  }

  /** The oldest that waits to be sent. */
  async head({ tenantId, name, rootId }: StreamOf): Promise<PendingDelivery | undefined> {
    const row = await this.db
      .prepare(
        `SELECT * FROM webhook_deliveries WHERE tenant_id = ? AND name = ? AND root_id = ? AND status = 'pending'
         ORDER BY seq LIMIT 1`,
      )
      .bind(tenantId, name, rootId)
      .first();
    if (row === null) return undefined;
    const { delivery_id: deliveryId, seq, attempts, next_at: nextAt } = deliveryRow.parse(row);
    return { deliveryId, seq, attempts, nextAt };
  }

  /** Notes what is to be sent, and up to where the events were read, in one. */
  async note(
    { tenantId, name, rootId }: StreamOf,
    events: readonly { readonly deliveryId: string; readonly seq: number; readonly type: string }[],
    cursor: number,
  ): Promise<void> {
    const now = this.now();
    await this.db.batch([
      ...events.map(({ deliveryId, seq, type }) =>
        this.db
          .prepare(
            `INSERT INTO webhook_deliveries (delivery_id, tenant_id, name, root_id, seq, type, status, next_at, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending', ?7, ?7, ?7) ON CONFLICT DO NOTHING`,
          )
          .bind(deliveryId, tenantId, name, rootId, seq, type, now),
      ),
      this.db
        .prepare("UPDATE webhook_streams SET cursor = ?4 WHERE tenant_id = ?1 AND name = ?2 AND root_id = ?3")
        .bind(tenantId, name, rootId, cursor),
    ]);
  }

  /** Notes how a try ended. @param nextAt when it is tried again; without one it is delivered or parked */
  async settle(
    { tenantId, name }: Pick<StreamOf, "tenantId" | "name">,
    { deliveryId, attempts }: Pick<PendingDelivery, "deliveryId" | "attempts">,
    { failure, nextAt }: { readonly failure?: string | undefined; readonly nextAt?: number | undefined },
  ): Promise<void> {
    const now = this.now();
    const status = failure === undefined ? "delivered" : nextAt === undefined ? "parked" : "pending";
    const health = failure === undefined ? "last_success_at = ?3" : "last_failure_at = ?3, last_failure = ?4";
    await this.db.batch([
      this.db
        .prepare(
          "UPDATE webhook_deliveries SET status = ?2, attempts = ?3, failure = ?4, next_at = ?5, updated_at = ?6 WHERE delivery_id = ?1",
        )
        .bind(deliveryId, status, attempts, failure ?? null, nextAt ?? now, now),
      this.db
        .prepare(`UPDATE webhooks SET ${health} WHERE tenant_id = ?1 AND name = ?2`)
        .bind(tenantId, name, now, ...(failure === undefined ? [] : [failure])),
    ]);
  }

  /** Switches a subscription off whose receiver is gone for good; what waits is parked, the one that was tried with that try. */
  async disable(
    { tenantId, name }: Pick<StreamOf, "tenantId" | "name">,
    { deliveryId }: Pick<PendingDelivery, "deliveryId">,
    failure: string,
  ): Promise<void> {
    const now = this.now();
    await this.db.batch([
      this.db
        .prepare(
          "UPDATE webhooks SET status = 'disabled', last_failure_at = ?3, last_failure = ?4 WHERE tenant_id = ?1 AND name = ?2",
        )
        .bind(tenantId, name, now, failure),
      this.db
        .prepare(
          `UPDATE webhook_deliveries SET status = 'parked', failure = ?3, updated_at = ?4,
             attempts = attempts + (delivery_id = ?5)
           WHERE tenant_id = ?1 AND name = ?2 AND status = 'pending'`,
        )
        .bind(tenantId, name, failure, now, deliveryId),
      this.db
        .prepare("UPDATE webhook_streams SET due_at = NULL WHERE tenant_id = ? AND name = ? AND due_at IS NOT NULL")
        .bind(tenantId, name),
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
    const { results } = await this.db
      .prepare(
        `SELECT * FROM webhook_deliveries WHERE tenant_id = ?1 AND name = ?2 AND (?3 IS NULL OR status = ?3)
         AND (?4 IS NULL OR delivery_id < ?4) ORDER BY delivery_id DESC LIMIT ?5`,
      )
      .bind(tenantId, name, status ?? null, before ?? null, limit)
      .all();
    return z.array(deliveryRow).parse(results).map(deliveryView);
  }

  /** Has a delivery tried again at once, from the start. */
  async again(tenantId: string, name: string, deliveryId: string): Promise<WebhookDelivery | undefined> {
    const [changed] = await this.db.batch([
      this.db
        .prepare(
          `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_at = ?4, updated_at = ?4
           WHERE delivery_id = ?3 AND tenant_id = ?1 AND name = ?2 RETURNING *`,
        )
        .bind(tenantId, name, deliveryId, this.now()),
      this.db
        .prepare(
          `INSERT INTO webhook_streams (tenant_id, name, root_id, leased_until, again, due_at)
           SELECT tenant_id, name, root_id, 0, 1, ?4 FROM webhook_deliveries
           WHERE delivery_id = ?3 AND tenant_id = ?1 AND name = ?2 ${oweAgain}`,
        )
        .bind(tenantId, name, deliveryId, this.now()),
    ]);
    const [row] = changed?.results ?? [];
    return row === undefined ? undefined : deliveryView(deliveryRow.parse(row));
  }

  /** Forgets what is known of a session, run or roundtable that is gone. */
  async forget(tenantId: string, rootId: string): Promise<void> {
    const of = "WHERE tenant_id = ? AND root_id = ?";
    await this.db.batch([
      this.db.prepare(`DELETE FROM webhook_streams INDEXED BY webhook_streams_of_root ${of}`).bind(tenantId, rootId),
      this.db.prepare(`DELETE FROM webhook_deliveries ${of}`).bind(tenantId, rootId),
    ]);
  }

  /**
   * Streams of which something is owed at a time: their job was lost, waits in the queue, or died. They are due again a while later, so
   * that the next to ask gets others.
   */
  async takeOwed(at: number, againMs: number, limit: number): Promise<StreamOf[]> {
    const { results } = await this.db
      .prepare(
        `UPDATE webhook_streams SET due_at = ?2 WHERE (tenant_id, name, root_id) IN
           (SELECT tenant_id, name, root_id FROM webhook_streams WHERE due_at <= ?1 ORDER BY due_at LIMIT ?3)
         RETURNING tenant_id, name, root_id`,
      )
      .bind(at, at + againMs, limit)
      .all<{ tenant_id: string; name: string; root_id: string }>();
    return results.map(({ tenant_id, name, root_id }) => ({ tenantId: tenant_id, name, rootId: root_id }));
  }

  /** Has deliveries be owed that wait since long before their stream said so: a version before has noted them. */
  async oweOverdue(before: number): Promise<void> {
    await this.db
      .prepare(
        `UPDATE webhook_streams SET due_at = ?1 WHERE due_at IS NULL AND (tenant_id, name, root_id) IN
           (SELECT tenant_id, name, root_id FROM webhook_deliveries WHERE status = 'pending' AND next_at < ?1)`,
      )
      .bind(before)
      .run();
  }

  /** Deletes what is settled since before a time. */
  async purge(before: number): Promise<void> {
    await this.db
      .prepare("DELETE FROM webhook_deliveries WHERE status <> 'pending' AND updated_at < ?")
      .bind(before)
      .run();
  }
}

const timeOf = (at: number): string => new Date(at).toISOString();

function deliveryView(row: z.infer<typeof deliveryRow>): WebhookDelivery {
  return {
    ...{ deliveryId: row.delivery_id, type: row.type, status: row.status, attempts: row.attempts, eventId: row.seq },
    ...rootField(row.root_id),
    ...(row.status === "pending" ? { nextAttemptAt: timeOf(row.next_at) } : {}),
    ...(row.failure === null ? {} : { failure: row.failure }),
    createdAt: timeOf(row.created_at),
    updatedAt: timeOf(row.updated_at),
  };
}
