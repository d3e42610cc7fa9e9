/** Webhooks in D1: who subscribes to what, and what signs for it. Times are milliseconds since the epoch. */
import { z } from "zod";
import { type NewWebhook, type WebhookView, webhookSchema, webhookStatuses } from "../catalogues/webhooks.js";
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
/** A subscription with what signs for it. */
export interface StoredWebhook extends Omit<NewWebhook, "secret"> {
  readonly name: string;
  readonly createdAt: number;
  readonly secrets: readonly string[];
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
