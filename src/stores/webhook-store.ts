/** Webhooks in D1: who subscribes to what, and what signs for it. Times are milliseconds since the epoch. */
import { z } from "zod";
import { type NewWebhook, type WebhookView, webhookSchema, webhookStatuses } from "../catalogues/webhooks.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import { defined } from "../conversation/defined.js";
import { referredSecret } from "../conversation/secret-text.js";
import { sha256Hex } from "../platform/digest.js";
import type { Sealer } from "../platform/secrets.js";
import { all, type Database, first, hasChanged, type Sql, sql } from "../platform/sql.js";
import type { DoneBy } from "../tenancy/audit.js";
import { changedFields } from "../tenancy/changed-fields.js";
import { insertResourceAct } from "./audit-log.js";
import { number, numberOrNull, text, textOrNull } from "./columns.js";
import type { SecretStore } from "./secret-store.js";
import type { StoreChange } from "./store-change.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

/** How long an exchanged secret goes on signing beside the new one. */
const formerSecretMs = 86_400_000;

const storedBody = webhookSchema.omit({ secret: true }).extend({
  sealedSecret: z.string(),
  former: z.object({ sealedSecret: z.string(), until: z.number() }).optional(),
});
const webhookRow = z.object({
  name: text,
  status: z.enum(webhookStatuses),
  body: z.string().transform((text) => storedBody.parse(JSON.parse(text))),
  created_at: number,
  updated_at: number,
  last_success_at: numberOrNull,
  last_failure_at: numberOrNull,
  last_failure: textOrNull,
});
const storedRow = webhookRow.pick({ status: true, body: true }).extend({ text: z.string() });

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
    private readonly secrets: SecretStore,
  ) {}

  /**
   * Stores a subscription, active. What is as it was already isn't stored again: a secret that comes twice leaves the one before it its day.
   * @param signing `secret`: the one that signs from now on, without one that of before stays; `generatedSecret` signs where there is none
   * @param by who does, for the audit
   */
  async put(
    tenantId: string,
    name: string,
    webhook: Omit<NewWebhook, "secret">,
    {
      secret,
      made: generatedSecret,
      by,
    }: { readonly secret: string | undefined; readonly made: string; readonly by: ActorRecord },
    claim?: WorkClaim,
  ): Promise<"created" | "changed"> {
    const digest = claim === undefined ? "" : await sha256Hex(generatedSecret);
    for (;;) {
      const change = await this.changeOf(tenantId, name, webhook, { secret, made: generatedSecret });
      if (change === undefined) return "changed";
      const { decision, statements } = change;
      // By its digest the request that comes again knows the secret that was made for it.
      const note = decision === "created" ? `created ${digest}` : decision;
      const [written] = await claimingBatch(this.db, [
        ...statements({ by, at: this.now() }),
        ...claimStatements(claim, note),
      ]);
      if (hasChanged(written)) return decision;
      // Somebody else stored or deleted it meanwhile, or its receiver was gone: decide anew.
    }
  }

  /** What storing it changes, and takes; undefined where it is all that already. Nothing is changed where what is stored is another by then. */
  async changeOf(
    tenantId: string,
    name: string,
    webhook: Omit<NewWebhook, "secret">,
    { secret, made }: { readonly secret: string | undefined; readonly made: string },
  ): Promise<StoreChange | undefined> {
    const known = await this.stored(tenantId, name);
    const signing = await this.signing(known, secret ?? (known === undefined ? made : undefined));
    const fields = known && [
      ...changedFields({ ...settingsOf(known.body), status: known.status }, { ...webhook, status: "active" }),
      ...(signing.sealedSecret === known.body.sealedSecret ? [] : ["secret"]),
    ];
    if (fields?.length === 0) return undefined;
    const decision = known === undefined ? "created" : "changed";
    const text = JSON.stringify({ ...webhook, ...signing });
    const statements = ({ by, at }: DoneBy): Sql[] => [
      known === undefined
        ? sql`INSERT INTO webhooks (tenant_id, name, status, body, created_at, updated_at)
          VALUES (${tenantId}, ${name}, 'active', ${text}, ${at}, ${at}) ON CONFLICT DO NOTHING`
        : sql`UPDATE webhooks SET status = 'active', body = ${text}, updated_at = ${at}
          WHERE tenant_id = ${tenantId} AND name = ${name} AND body = ${known.text} AND status = ${known.status}`,
      insertResourceAct(tenantId, "webhook.stored", { kind: "webhooks", name, changes: fields }, { by, at }, decision),
    ];
    return { decision, fields, statements };
  }

  /** One of another tenant, switched off: nothing is sent before somebody stores it again. False where one of this name is here. */
  async copy(
    tenantId: string,
    name: string,
    webhook: Omit<NewWebhook, "secret">,
    { made, by }: { readonly made: string; readonly by: ActorRecord },
  ): Promise<boolean> {
    const at = this.now();
    const text = JSON.stringify({ ...webhook, sealedSecret: await this.sealer.seal(made) });
    const [written] = await claimingBatch(this.db, [
      sql`INSERT INTO webhooks (tenant_id, name, status, body, created_at, updated_at)
        VALUES (${tenantId}, ${name}, 'disabled', ${text}, ${at}, ${at}) ON CONFLICT DO NOTHING`,
      insertResourceAct(tenantId, "webhook.stored", { kind: "webhooks", name }, { by, at }, "created"),
    ]);
    return hasChanged(written);
  }

  async get(tenantId: string, name: string): Promise<WebhookView | undefined> {
    const row = await first(this.db, webhookRow)`
      SELECT * FROM webhooks WHERE tenant_id = ${tenantId} AND name = ${name}`;
    return row && viewOf(row);
  }

  async list(tenantId: string, after: string, limit: number): Promise<WebhookView[]> {
    return (
      await all(this.db, webhookRow)`
        SELECT * FROM webhooks WHERE tenant_id = ${tenantId} AND name > ${after} ORDER BY name LIMIT ${limit}`
    ).map(viewOf);
  }

  async remove(tenantId: string, name: string, done: DoneBy, claim?: WorkClaim): Promise<boolean> {
    const [, , removed] = await claimingBatch(this.db, [
      ...this.removeStatements(tenantId, name, done),
      ...claimStatements(claim, "deleted"),
    ]);
    return hasChanged(removed);
  }

  /** The third deletes it; with its row of the audit it stands last, where a key is claimed. */
  removeStatements(tenantId: string, name: string, { by, at }: DoneBy): Sql[] {
    const of = sql`WHERE tenant_id = ${tenantId} AND name = ${name}`;
    return [
      sql`DELETE FROM webhook_streams ${of}`,
      sql`DELETE FROM webhook_deliveries ${of}`,
      sql`DELETE FROM webhooks ${of}`,
      insertResourceAct(tenantId, "webhook.deleted", { kind: "webhooks", name }, { by, at }),
    ];
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
    const rows = await all(this.db, webhookRow)`SELECT * FROM webhooks
      WHERE tenant_id = ${tenantId} AND (${name} IS NULL OR name = ${name}) AND (${status} IS NULL OR status = ${status})`;
    return Promise.all(
      rows.map(async ({ name: called, created_at, body: { sealedSecret, former, ...webhook } }) => {
        const sealed = [
          sealedSecret,
          ...(former !== undefined && former.until > this.now() ? [former.sealedSecret] : []),
        ];
        const secrets = await Promise.all(
          sealed.map(async (one) => this.secrets.valueOf(tenantId, await this.sealer.open(one), webhook.url)),
        );
        return { ...webhook, name: called, createdAt: created_at, secrets };
      }),
    );
  }

  /** What is stored, and the text of it that an unchanged row still has. */
  private async stored(tenantId: string, name: string) {
    return first(this.db, storedRow)`
      SELECT status, body, body AS text FROM webhooks WHERE tenant_id = ${tenantId} AND name = ${name}`;
  }

  /** What signs from now on: with another secret than before that one too, for its day, unless nobody can read it any more. */
  private async signing(known: z.infer<typeof storedRow> | undefined, secret: string | undefined) {
    const { sealedSecret = "", former } = known?.body ?? {};
    if (secret === undefined) return { sealedSecret, former };
    const before = known && (await this.sealer.open(sealedSecret).catch(() => undefined));
    if (before === secret) return { sealedSecret, former };
    const until = this.now() + formerSecretMs;
    return {
      sealedSecret: await this.sealer.seal(secret),
      ...(before === undefined ? {} : { former: { sealedSecret, until } }),
    };
  }
}

const timeOf = (at: number): string => new Date(at).toISOString();

function viewOf(row: z.infer<typeof webhookRow>): WebhookView {
  const named = referredSecret(row.body.sealedSecret);
  return {
    ...settingsOf(row.body),
    ...(named === undefined ? {} : { secret: { $secret: named } }),
    name: row.name,
    status: row.status,
    createdAt: timeOf(row.created_at),
    updatedAt: timeOf(row.updated_at),
    ...(row.last_success_at === null ? {} : { lastSuccessAt: timeOf(row.last_success_at) }),
    ...(row.last_failure_at === null ? {} : { lastFailureAt: timeOf(row.last_failure_at) }),
    ...defined({ lastFailure: row.last_failure ?? undefined }),
  };
}

function settingsOf({ sealedSecret: _, former: __, ...webhook }: z.infer<typeof storedBody>) {
  return webhook;
}
