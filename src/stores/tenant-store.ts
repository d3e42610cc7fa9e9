/** Tenants, their settings and their keys in D1. */
import { z } from "zod";
import { type KeyRole, keyRoles } from "../asks/ask.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import { ownValue } from "../conversation/own-value.js";
import type { LiveExperiment } from "../evidence/experiment.js";
import { newId } from "../platform/ids.js";
import { opens, type Sealer } from "../platform/secrets.js";
import { all, batch, type Database, first, hasChanged, run, type Sql, sql } from "../platform/sql.js";
import { databaseOf, markId } from "../tenancy/home.js";
import type { StoredLimit } from "../tenancy/limits/limit.js";
import {
  type Jurisdiction,
  jurisdictions,
  type Settings,
  type StoredSettings,
  storedSettingsSchema,
} from "../tenancy/tenant.js";
import { insertResourceAct } from "./audit-log.js";
import { revisionColumn, revisionRow } from "./caller-store.js";
import { number, text } from "./columns.js";
import type { CreationKey } from "./creation-claims.js";
import { experimentsColumn, experimentsOf } from "./experiment-store.js";
import { type ClaimRefusal, KeyClaims } from "./key-claims.js";
import { insertDefaultLimits, limitsColumn, limitsOf } from "./limit-store.js";
import { elsewhere } from "./on-the-way.js";
import { type SettingsUpdate, settingsStatements } from "./settings-writes.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

export interface Tenant {
  readonly tenantId: string;
  readonly name: string;
  readonly settings: StoredSettings;
  readonly jurisdiction: Jurisdiction | undefined;
  /** Its own, and those of the deployment. */
  readonly limits: readonly StoredLimit[];
  /** Those that sessions may be in. */
  readonly experiments: readonly LiveExperiment[];
  readonly createdAt: number;
}

export interface KeyRecord {
  readonly keyId: string;
  readonly role: KeyRole;
  readonly label: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  /** The hour in which it was last used. */
  readonly lastUsedAt: number | undefined;
}
type NewKey = Pick<KeyRecord, "role" | "label"> & {
  readonly expiresAt?: number | undefined;
  readonly by: ActorRecord;
};

const tenantRow = z
  .object({
    tenant_id: text,
    name: text,
    settings: text,
    jurisdiction: z.enum(jurisdictions).nullable(),
    created_at: number,
    limits: text,
    experiments: text,
  })
  .transform(
    (row): Tenant => ({
      tenantId: row.tenant_id,
      name: row.name,
      settings: storedSettingsSchema.parse(JSON.parse(row.settings)),
      jurisdiction: row.jurisdiction ?? undefined,
      limits: limitsOf(row.limits),
      experiments: experimentsOf(row.experiments),
      createdAt: row.created_at,
    }),
  );
const keyRow = z
  .object({
    ...{ key_id: z.string(), role: z.enum(keyRoles), label: z.string().nullable(), created_at: z.number() },
    ...{ expires_at: z.number().nullable(), last_used_at: z.number().nullable() },
  })
  .transform(
    ({ key_id, role, label, created_at, expires_at, last_used_at }): KeyRecord => ({
      keyId: key_id,
      role,
      label: label ?? undefined,
      createdAt: created_at,
      expiresAt: expires_at ?? undefined,
      lastUsedAt: last_used_at ?? undefined,
    }),
  );
const keyColumns = sql`key_id, role, label, created_at, expires_at, last_used_at`;

/** A key says in which database its tenant lives. */
function newKeyId(tenantId: string): string {
  return markId(newId("key"), databaseOf(tenantId));
}

/** Tenants and keys in D1. */
export class TenantStore {
  private readonly claims: KeyClaims;

  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
    private readonly now: () => number,
  ) {
    this.claims = new KeyClaims(db, sealer, now);
  }

  /** Housekeeping: requests that nobody will repeat. */
  purgeExpired(now: number): Promise<void> {
    return this.claims.purgeExpired(now);
  }

  /** What a tenant of this request is called, in whichever database it is made: the new id, or the one that the request got before. */
  async settleId(
    id: string,
    request: CreationKey | undefined,
  ): Promise<{ readonly kind: "settled"; readonly id: string } | ClaimRefusal> {
    const claim = await this.claims.claim(request, id, newKeyId(id));
    return claim.kind === "claimed" ? { kind: "settled", id: claim.id } : claim;
  }

  /**
   * Makes a tenant with its first key, of role admin. The key is given out here and never again, but to a retry of the very request.
   * @param id what it is to be called: it says in which database it lives
   * @param by who made it, for the audit
   * @param request the key that it came with
   */
  async create(
    id: string,
    name: string,
    settings: Settings,
    by: ActorRecord,
    request?: CreationKey,
  ): Promise<{ kind: "made"; tenantId: string; key: string } | ClaimRefusal> {
    const claim = await this.claims.claim(request, id, newKeyId(id));
    if (claim.kind !== "claimed") return claim;
    const { id: tenantId, created } = claim;
    // Of one that is there its settings may have been changed since.
    const isNew = request === undefined || (await this.get(tenantId)) === undefined;
    const sealed = JSON.stringify(await this.sealSettings(settings));
    const insert = sql`INSERT INTO tenants (tenant_id, name, settings, jurisdiction, created_at)
      VALUES (${tenantId}, ${name}, ${sealed}, ${settings.jurisdiction}, ${this.now()}) ON CONFLICT DO NOTHING`;
    await batch(this.db, [
      ...(isNew ? [insert, ...(await insertDefaultLimits(tenantId, this.now()))] : []),
      ...this.insertKey(tenantId, created, { role: "admin", label: undefined, by }),
    ]);
    return { kind: "made", tenantId, key: created.key };
  }

  /** A tenant's revision now; nothing of one that is gone. */
  async revision(tenantId: string): Promise<number | undefined> {
    return (await first(this.db, revisionRow)`SELECT ${revisionColumn} FROM tenants t WHERE tenant_id = ${tenantId}`)
      ?.revision;
  }

  async get(tenantId: string): Promise<Tenant | undefined> {
    return first(
      this.db,
      tenantRow,
    )`SELECT *, ${limitsColumn}, ${experimentsColumn} FROM tenants t WHERE tenant_id = ${tenantId}`;
  }

  async list(after: string, limit: number): Promise<Tenant[]> {
    return all(this.db, tenantRow)`SELECT *, ${limitsColumn}, ${experimentsColumn} FROM tenants t
      WHERE tenant_id > ${after} AND tenant_id NOT IN ${elsewhere} ORDER BY tenant_id LIMIT ${limit}`;
  }

  /** Changes what is given and nothing else, so that changes at the same time all hold. Null removes a setting. */
  async change(
    tenantId: string,
    { name, settings }: { readonly name: string | undefined; readonly settings: SettingsUpdate },
    by: ActorRecord,
    claim?: WorkClaim,
  ): Promise<void> {
    await claimingBatch(this.db, [
      ...settingsStatements(tenantId, { name, settings }, { by, at: this.now() }),
      ...claimStatements(claim, "changed"),
    ]);
  }

  /** What its database holds, in bytes. */
  async bytes(): Promise<number> {
    return (await this.db.prepare("SELECT 1").all()).meta.size_after ?? 0;
  }

  /** Removes the tenant and all its rows. */
  async remove(tenantId: string): Promise<boolean> {
    return (await run(this.db)`DELETE FROM tenants WHERE tenant_id = ${tenantId}`) > 0;
  }

  /** @param request the key that it came with: a retry is given the very same key */
  async createKey(
    tenantId: string,
    key: NewKey,
    request?: CreationKey,
  ): Promise<{ kind: "made"; keyId: string; key: string } | ClaimRefusal> {
    const keyId = newKeyId(tenantId);
    const claim = await this.claims.claim(request, keyId, keyId);
    if (claim.kind !== "claimed") return claim;
    const { created } = claim;
    await batch(this.db, this.insertKey(tenantId, created, key));
    return { kind: "made", keyId: created.keyId, key: created.key };
  }

  async listKeys(tenantId: string, after: string, limit: number): Promise<KeyRecord[]> {
    return all(this.db, keyRow)`
      SELECT ${keyColumns} FROM keys WHERE tenant_id = ${tenantId} AND key_id > ${after}
      ORDER BY key_id LIMIT ${limit}`;
  }

  async removeKey(tenantId: string, keyId: string, by: ActorRecord): Promise<boolean> {
    const key = await this.key(tenantId, keyId);
    if (key === undefined) return false;
    const [removed] = await batch(this.db, [
      sql`DELETE FROM keys WHERE tenant_id = ${tenantId} AND key_id = ${keyId}`,
      this.insertKeyAct(tenantId, "key.deleted", key, by),
    ]);
    return hasChanged(removed);
  }

  /** Removes a key, but for the last one of role admin that counts. */
  async removeKeyUnlessLast(
    tenantId: string,
    keyId: string,
    by: ActorRecord,
  ): Promise<"removed" | "last_admin" | "none"> {
    const key = await this.key(tenantId, keyId);
    if (key === undefined) return "none";
    const [removed, , left] = await batch(this.db, [
      sql`DELETE FROM keys
        WHERE tenant_id = ${tenantId} AND key_id = ${keyId}
          AND (role <> 'admin' OR EXISTS (SELECT 1 FROM keys WHERE tenant_id = ${tenantId} AND role = 'admin'
            AND key_id <> ${keyId} AND COALESCE(expires_at > ${this.now()}, 1)))`,
      this.insertKeyAct(tenantId, "key.deleted", key, by),
      sql`SELECT 1 FROM keys WHERE tenant_id = ${tenantId} AND key_id = ${keyId}`,
    ]);
    if (hasChanged(removed)) return "removed";
    return (left?.results.length ?? 0) > 0 ? "last_admin" : "none";
  }

  /** All of a tenant's: from now on nobody calls in its name. */
  async removeKeys(tenantId: string): Promise<void> {
    await run(this.db)`DELETE FROM keys WHERE tenant_id = ${tenantId}`;
  }

  /**
   * As they are stored; the jurisdiction isn't among them.
   * @param known providers that are stored: a credential that is theirs already isn't sealed anew, so that it reads the same
   */
  async sealSettings(
    { jurisdiction: _, ...settings }: Settings,
    known: StoredSettings["providers"] = {},
  ): Promise<StoredSettings> {
    const stored = Object.entries(settings.providers).map(async ([name, { baseUrl, apiKey }]) => {
      const sealed = ownValue(known, name)?.sealedApiKey;
      const isStored = sealed !== undefined && (await opens(this.sealer, sealed, apiKey));
      return [name, { baseUrl, sealedApiKey: isStored ? sealed : await this.sealer.seal(apiKey) }] as const;
    });
    return { ...settings, providers: Object.fromEntries(await Promise.all(stored)) };
  }

  private async key(tenantId: string, keyId: string): Promise<KeyRecord | undefined> {
    return first(this.db, keyRow)`
      SELECT ${keyColumns} FROM keys WHERE tenant_id = ${tenantId} AND key_id = ${keyId}`;
  }

  private insertKey(
    tenantId: string,
    { keyId, secretHash }: { keyId: string; secretHash: string },
    { role, label, expiresAt, by }: NewKey,
  ): Sql[] {
    return [
      sql`INSERT INTO keys (key_id, tenant_id, role, secret_hash, label, created_at, expires_at)
        VALUES (${keyId}, ${tenantId}, ${role}, ${secretHash}, ${label}, ${this.now()}, ${expiresAt}) ON CONFLICT DO NOTHING`,
      this.insertKeyAct(tenantId, "key.created", { keyId, role, label }, by),
    ];
  }

  /** Who made or deleted a key; behind the statement that does it. */
  private insertKeyAct(
    tenantId: string,
    type: "key.created" | "key.deleted",
    { keyId, role, label }: Pick<KeyRecord, "keyId" | "role" | "label">,
    by: ActorRecord,
  ): Sql {
    const subject = { kind: "keys", name: keyId, keyRole: role, keyLabel: label };
    return insertResourceAct(tenantId, type, subject, { by, at: this.now() });
  }
}
