/** Webhooks in D1: subscriptions, how far each was read where, and what was sent. Times are milliseconds since the epoch. */
import { z } from "zod";
import {
  deliveryStatuses,
  type NewWebhook,
  rootField,
  type WebhookDelivery,
  type WebhookView,
  webhookSchema,
  webhookStatuses,
} from "../catalogues/webhooks.js";
import type { Sealer } from "../platform/secrets.js";
import type { Database } from "./database.js";

/** How long an exchanged secret goes on signing beside the new one. */
const formerSecretMs = 86_400_000;

const storedBody = webhookSchema.omit({ secret: true }).extend({
  sealedSecret: z.string(),
  former: z.object({ sealedSecret: z.string(), until: z.number() }).optional(),
});
const webhookRow = z.object({
  name: z.string(),
  status: z.enum(webhookStatuses),
  body: z.string().transform((text) => storedBody.parse(JSON.parse(text))),
  created_at: z.number(),
  updated_at: z.number(),
  last_success_at: z.number().nullable(),
  last_failure_at: z.number().nullable(),
  last_failure: z.string().nullable(),
});
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

/** A subscription with what signs for it. */
export interface StoredWebhook extends Omit<NewWebhook, "secret"> {
  readonly name: string;
  readonly createdAt: number;
  readonly secrets: readonly string[];
}

export interface PendingDelivery {
  readonly deliveryId: string;
  readonly seq: number;
  readonly attempts: number;
  readonly nextAt: number;
}

/** A subscription's place in the events of a session or run. */
export interface StreamOf {
  readonly tenantId: string;
  readonly name: string;
  readonly rootId: string;
}

export class WebhookStore {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly now: () => number,
  ) {}

  /** Stores a subscription, active. @param secret without one the secret of before stays */
  async put(
    tenantId: string,
    name: string,
    webhook: Omit<NewWebhook, "secret">,
    secret: string | undefined,
  ): Promise<"created" | "changed" | "without_secret"> {
    const now = this.now();
    const before = await this.row(tenantId, name);
    if (secret === undefined && before === undefined) return "without_secret";
    const known = before?.body;
    const signing =
      secret === undefined
        ? { sealedSecret: known?.sealedSecret ?? "", former: known?.former }
        : { sealedSecret: await this.sealer.seal(secret), former: formerOf(known, now) };
    const { meta } = await this.db
      .prepare(
        `INSERT INTO webhooks (tenant_id, name, status, body, created_at, updated_at) VALUES (?1, ?2, 'active', ?3, ?4, ?4)
         ON CONFLICT DO UPDATE SET status = 'active', body = ?3, updated_at = ?4`,
      )
      .bind(tenantId, name, JSON.stringify({ ...webhook, ...signing }), now)
      .run();
    return before === undefined && meta.changes > 0 ? "created" : "changed";
  }

  async get(tenantId: string, name: string): Promise<WebhookView | undefined> {
    const row = await this.row(tenantId, name);
    return row === undefined ? undefined : viewOf(row);
  }

  async list(tenantId: string, after: string, limit: number): Promise<WebhookView[]> {
    const { results } = await this.db
      .prepare("SELECT * FROM webhooks WHERE tenant_id = ? AND name > ? ORDER BY name LIMIT ?")
      .bind(tenantId, after, limit)
      .all();
    return z.array(webhookRow).parse(results).map(viewOf);
  }

  async remove(tenantId: string, name: string): Promise<boolean> {
    const of = "WHERE tenant_id = ? AND name = ?";
    const [removed] = await this.db.batch([
      this.db.prepare(`DELETE FROM webhooks ${of}`).bind(tenantId, name),
      this.db.prepare(`DELETE FROM webhook_streams ${of}`).bind(tenantId, name),
      this.db.prepare(`DELETE FROM webhook_deliveries ${of}`).bind(tenantId, name),
    ]);
    return (removed?.meta.changes ?? 0) > 0;
  }

  /** The active subscriptions of a tenant, or the one of this name, with their secrets. */
  active(tenantId: string, name?: string): Promise<StoredWebhook[]> {
    return this.withSecrets(tenantId, name, "active");
  }

  /** A subscription with its secrets, active or not. */
  secretsOf(tenantId: string, name: string): Promise<StoredWebhook[]> {
    return this.withSecrets(tenantId, name, undefined);
  }

  private async withSecrets(
    tenantId: string,
    name: string | undefined,
    status: WebhookView["status"] | undefined,
  ): Promise<StoredWebhook[]> {
    const { results } = await this.db
      .prepare(
        "SELECT * FROM webhooks WHERE tenant_id = ?1 AND (?2 IS NULL OR name = ?2) AND (?3 IS NULL OR status = ?3)",
      )
      .bind(tenantId, name ?? null, status ?? null)
      .all();
    return Promise.all(
      z
        .array(webhookRow)
        .parse(results)
        .map(async ({ name: called, created_at, body: { sealedSecret, former, ...webhook } }) => {
          const sealed = [
            sealedSecret,
            ...(former !== undefined && former.until > this.now() ? [former.sealedSecret] : []),
          ];
          const secrets = await Promise.all(sealed.map((one) => this.sealer.open(one)));
          return { ...webhook, name: called, createdAt: created_at, secrets };
        }),
    );
  }

  /** Takes a stream to send from it, if nobody else does; whoever does is told that there is more. */
  async claim(
    { tenantId, name, rootId }: StreamOf,
    leaseMs: number,
  ): Promise<{ cursor: number | undefined } | undefined> {
    const now = this.now();
    const row = await this.db
      .prepare(
        `INSERT INTO webhook_streams (tenant_id, name, root_id, leased_until) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET leased_until = ?4, again = 0 WHERE leased_until <= ?5 RETURNING cursor`,
      )
      .bind(tenantId, name, rootId, now + leaseMs, now)
      .first<{ cursor: number | null }>();
    if (row !== null) return { cursor: row.cursor ?? undefined };
    await this.db
      .prepare("UPDATE webhook_streams SET again = 1 WHERE tenant_id = ? AND name = ? AND root_id = ?")
      .bind(tenantId, name, rootId)
      .run();
    return undefined;
  }

  /** Lets a stream go. False when something happened meanwhile: then it is still held, to be looked at again. */
  async release({ tenantId, name, rootId }: StreamOf): Promise<boolean> {
    const of = "WHERE tenant_id = ?1 AND name = ?2 AND root_id = ?3";
    const [released] = await this.db.batch([
      this.db.prepare(`UPDATE webhook_streams SET leased_until = 0 ${of} AND again = 0`).bind(tenantId, name, rootId),
      this.db.prepare(`UPDATE webhook_streams SET again = 0 ${of} AND leased_until > 0`).bind(tenantId, name, rootId),
    ]);
    return (released?.meta.changes ?? 0) > 0;
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

  /** Switches a subscription off whose receiver is gone for good; what waits is parked. */
  async disable({ tenantId, name }: Pick<StreamOf, "tenantId" | "name">, failure: string): Promise<void> {
    const now = this.now();
    await this.db.batch([
      this.db
        .prepare(
          "UPDATE webhooks SET status = 'disabled', last_failure_at = ?3, last_failure = ?4 WHERE tenant_id = ?1 AND name = ?2",
        )
        .bind(tenantId, name, now, failure),
      this.db
        .prepare(
          `UPDATE webhook_deliveries SET status = 'parked', failure = ?3, updated_at = ?4
           WHERE tenant_id = ?1 AND name = ?2 AND status = 'pending'`,
        )
        .bind(tenantId, name, failure, now),
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
    const row = await this.db
      .prepare(
        `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_at = ?4, updated_at = ?4
         WHERE delivery_id = ?3 AND tenant_id = ?1 AND name = ?2 RETURNING *`,
      )
      .bind(tenantId, name, deliveryId, this.now())
      .first();
    return row === null ? undefined : deliveryView(deliveryRow.parse(row));
  }

  /** Forgets what is known of a session or run that is gone. */
  async forget(tenantId: string, rootId: string): Promise<void> {
    const of = "WHERE tenant_id = ? AND root_id = ?";
    await this.db.batch([
      this.db.prepare(`DELETE FROM webhook_streams ${of}`).bind(tenantId, rootId),
      this.db.prepare(`DELETE FROM webhook_deliveries ${of}`).bind(tenantId, rootId),
    ]);
  }

  /** Deliveries whose time has come long ago: their message in the queue was lost. */
  async overdue(before: number, limit: number): Promise<StreamOf[]> {
    const { results } = await this.db
      .prepare(
        `SELECT DISTINCT tenant_id, name, root_id FROM webhook_deliveries
         WHERE status = 'pending' AND next_at < ? ORDER BY next_at LIMIT ?`,
      )
      .bind(before, limit)
      .all<{ tenant_id: string; name: string; root_id: string }>();
    return results.map(({ tenant_id, name, root_id }) => ({ tenantId: tenant_id, name, rootId: root_id }));
  }

  /** Deletes what is settled since before a time. */
  async purge(before: number): Promise<void> {
    await this.db
      .prepare("DELETE FROM webhook_deliveries WHERE status <> 'pending' AND updated_at < ?")
      .bind(before)
      .run();
  }

  private async row(tenantId: string, name: string): Promise<z.infer<typeof webhookRow> | undefined> {
    const row = await this.db
      .prepare("SELECT * FROM webhooks WHERE tenant_id = ? AND name = ?")
      .bind(tenantId, name)
      .first();
    return row === null ? undefined : webhookRow.parse(row);
  }
}

function formerOf(known: z.infer<typeof storedBody> | undefined, now: number) {
  return known === undefined ? undefined : { sealedSecret: known.sealedSecret, until: now + formerSecretMs };
}

const timeOf = (at: number): string => new Date(at).toISOString();

function viewOf(row: z.infer<typeof webhookRow>): WebhookView {
  const { sealedSecret: _, former: __, ...webhook } = row.body;
  return {
    ...webhook,
    name: row.name,
    status: row.status,
    createdAt: timeOf(row.created_at),
    updatedAt: timeOf(row.updated_at),
    ...(row.last_success_at === null ? {} : { lastSuccessAt: timeOf(row.last_success_at) }),
    ...(row.last_failure_at === null ? {} : { lastFailureAt: timeOf(row.last_failure_at) }),
    ...(row.last_failure === null ? {} : { lastFailure: row.last_failure }),
  };
}

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
