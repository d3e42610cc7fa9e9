/** Tenants, their settings and their keys in D1. */
import { z } from "zod";
import { type KeyRole, keyRoles } from "../asks/ask.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import { newId } from "../platform/ids.js";
import { opens, type Sealer } from "../platform/secrets.js";
import {
  type Jurisdiction,
  jurisdictions,
  type Settings,
  type SettingsChange,
  type StoredSettings,
  storedSettingsSchema,
} from "../tenancy/tenant.js";
import { insertResourceAct, insertSettingsChange } from "./audit-log.js";
import { revisionColumn, revisionRow } from "./caller-store.js";
import type { CreationKey } from "./creation-claims.js";
import type { Database } from "./database.js";
import { type ClaimRefusal, KeyClaims } from "./key-claims.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

export interface Tenant {
  readonly tenantId: string;
  readonly name: string;
  readonly settings: StoredSettings;
  readonly jurisdiction: Jurisdiction | undefined;
  readonly createdAt: number;
}

export interface KeyRecord {
  readonly keyId: string;
  readonly role: KeyRole;
  readonly label: string | undefined;
  readonly createdAt: number;
}

/** The settings that change, with what is secret in them sealed. */
export type SettingsUpdate = Omit<SettingsChange, "jurisdiction" | "providers"> & {
  readonly providers?: StoredSettings["providers"];
};

const tenantRow = z.object({
  tenant_id: z.string(),
  name: z.string(),
  settings: z.string(),
  jurisdiction: z.enum(jurisdictions).nullable(),
  created_at: z.number(),
});
const keyRow = z.object({
  key_id: z.string(),
  role: z.enum(keyRoles),
  label: z.string().nullable(),
  created_at: z.number(),
});

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

  /**
   * Makes a tenant with its first key, of role admin. The key is given out here and never again, but to a retry of the very request.
   * @param by who made it, for the audit
   * @param request the key that it came with
   */
  async create(
    name: string,
    settings: Settings,
    by: ActorRecord,
    request?: CreationKey,
  ): Promise<{ kind: "made"; tenantId: string; key: string } | ClaimRefusal> {
    const claim = await this.claims.claim(request, newId("ten"), newId("key"));
    if (claim.kind !== "claimed") return claim;
    const { id: tenantId, created } = claim;
    // Of one that is there its settings may have been changed since.
    const isNew = request === undefined || (await this.get(tenantId)) === undefined;
    const sealed = JSON.stringify(await this.sealSettings(settings));
    const insert = this.db
      .prepare(
        "INSERT INTO tenants (tenant_id, name, settings, jurisdiction, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      )
      .bind(tenantId, name, sealed, settings.jurisdiction ?? null, this.now());
    await this.db.batch([
      ...(isNew ? [insert, ...this.originStatements(tenantId, settings.corsOrigins)] : []),
      ...this.insertKey(tenantId, created, { role: "admin", label: undefined, by }),
    ]);
    return { kind: "made", tenantId, key: created.key };
  }

  /** A tenant's revision now; nothing of one that is gone. */
  async revision(tenantId: string): Promise<number | undefined> {
    const row = await this.db
      .prepare(`SELECT ${revisionColumn} FROM tenants t WHERE tenant_id = ?`)
      .bind(tenantId)
      .first();
    return row === null ? undefined : revisionRow.parse(row).revision;
  }

  async get(tenantId: string): Promise<Tenant | undefined> {
    const row = await this.db.prepare("SELECT * FROM tenants WHERE tenant_id = ?").bind(tenantId).first();
    return row === null ? undefined : readTenant(row);
  }

  async list(after: string, limit: number): Promise<Tenant[]> {
    const { results } = await this.db
      .prepare("SELECT * FROM tenants WHERE tenant_id > ? ORDER BY tenant_id LIMIT ?")
      .bind(after, limit)
      .all();
    return results.map(readTenant);
  }

  /** Changes what is given and nothing else, so that changes at the same time all hold. Null removes a setting. */
  async change(
    tenantId: string,
    { name, settings }: { readonly name: string | undefined; readonly settings: SettingsUpdate },
    by: ActorRecord,
    claim?: WorkClaim,
  ): Promise<void> {
    const given = Object.entries(settings).filter(([, value]) => value !== undefined);
    const set = given.flatMap(([key, value]) => (value === null ? [] : [`$.${key}`, JSON.stringify(value)]));
    const removed = given.flatMap(([key, value]) => (value === null ? [`$.${key}`] : []));
    const changed = `json_set(settings${", ?, json(?)".repeat(set.length / 2)})`;
    await claimingBatch(this.db, [
      insertSettingsChange(this.db, tenantId, { ...settings, name }, { by, at: this.now() }),
      this.db
        .prepare(
          `UPDATE tenants SET settings = json_remove(${changed}${", ?".repeat(removed.length)}), name = COALESCE(?, name) WHERE tenant_id = ?`,
        )
        .bind(...set, ...removed, name ?? null, tenantId),
      ...claimStatements(this.db, claim, "changed"),
      ...(settings.corsOrigins === undefined ? [] : this.originStatements(tenantId, settings.corsOrigins)),
    ]);
  }

  /** Removes the tenant and all its rows. */
  async remove(tenantId: string): Promise<boolean> {
    const { meta } = await this.db.prepare("DELETE FROM tenants WHERE tenant_id = ?").bind(tenantId).run();
    return meta.changes > 0;
  }

  /** @param request the key that it came with: a retry is given the very same key */
  async createKey(
    tenantId: string,
    key: { readonly role: KeyRole; readonly label: string | undefined; readonly by: ActorRecord },
    request?: CreationKey,
  ): Promise<{ kind: "made"; keyId: string; key: string } | ClaimRefusal> {
    const keyId = newId("key");
    const claim = await this.claims.claim(request, keyId, keyId);
    if (claim.kind !== "claimed") return claim;
    const { created } = claim;
    await this.db.batch(this.insertKey(tenantId, created, key));
    return { kind: "made", keyId: created.keyId, key: created.key };
  }

  async listKeys(tenantId: string, after: string, limit: number): Promise<KeyRecord[]> {
    const { results } = await this.db
      .prepare(
        "SELECT key_id, role, label, created_at FROM keys WHERE tenant_id = ? AND key_id > ? ORDER BY key_id LIMIT ?",
      )
      .bind(tenantId, after, limit)
      .all();
    return results.map(readKeyRecord);
  }

  async removeKey(tenantId: string, keyId: string, by: ActorRecord): Promise<boolean> {
    const key = await this.key(tenantId, keyId);
    if (key === undefined) return false;
    const [removed] = await this.db.batch([
      this.db.prepare("DELETE FROM keys WHERE tenant_id = ? AND key_id = ?").bind(tenantId, keyId),
      this.insertKeyAct(tenantId, "key.deleted", key, by),
    ]);
    return (removed?.meta.changes ?? 0) > 0;
  }

  /** Removes a key, but for the last one of role admin. */
  async removeKeyUnlessLast(
    tenantId: string,
    keyId: string,
    by: ActorRecord,
  ): Promise<"removed" | "last_admin" | "none"> {
    const key = await this.key(tenantId, keyId);
    if (key === undefined) return "none";
    const [removed, , left] = await this.db.batch([
      this.db
        .prepare(
          `DELETE FROM keys WHERE tenant_id = ?1 AND key_id = ?2
             AND (role <> 'admin' OR (SELECT COUNT(*) FROM keys WHERE tenant_id = ?1 AND role = 'admin') > 1)`,
        )
        .bind(tenantId, keyId),
      this.insertKeyAct(tenantId, "key.deleted", key, by),
      this.db.prepare("SELECT 1 FROM keys WHERE tenant_id = ? AND key_id = ?").bind(tenantId, keyId),
    ]);
    if ((removed?.meta.changes ?? 0) > 0) return "removed";
    return (left?.results.length ?? 0) > 0 ? "last_admin" : "none";
  }

  /** Whether a page of this origin may call some tenant from a browser. */
  async allowsOrigin(origin: string): Promise<boolean> {
    return (await this.db.prepare("SELECT 1 FROM cors_origins WHERE origin = ? LIMIT 1").bind(origin).first()) !== null;
  }

  /** All of a tenant's: from now on nobody calls in its name. */
  async removeKeys(tenantId: string): Promise<void> {
    await this.db.prepare("DELETE FROM keys WHERE tenant_id = ?").bind(tenantId).run();
  }

  /**
   * As they are stored; the jurisdiction isn't among them.
   * @param known providers that are stored: a credential that is theirs already isn't sealed anew, so that it reads the same
   */
  async sealSettings(
    { jurisdiction: _, ...settings }: Settings,
    known: StoredSettings["providers"] = {},
  ): Promise<StoredSettings> {
    const providers: StoredSettings["providers"] = {};
    for (const [name, { baseUrl, apiKey }] of Object.entries(settings.providers)) {
      const sealed = known[name]?.sealedApiKey;
      const isStored = sealed !== undefined && (await opens(this.sealer, sealed, apiKey));
      providers[name] = { baseUrl, sealedApiKey: isStored ? sealed : await this.sealer.seal(apiKey) };
    }
    return { ...settings, providers };
  }

  private async key(tenantId: string, keyId: string): Promise<KeyRecord | undefined> {
    const row = await this.db
      .prepare("SELECT key_id, role, label, created_at FROM keys WHERE tenant_id = ? AND key_id = ?")
      .bind(tenantId, keyId)
      .first();
    return row === null ? undefined : readKeyRecord(row);
  }

  private originStatements(tenantId: string, origins: readonly string[]): D1PreparedStatement[] {
    return [
      this.db.prepare("DELETE FROM cors_origins WHERE tenant_id = ?").bind(tenantId),
      this.db
        .prepare("INSERT INTO cors_origins (origin, tenant_id) SELECT DISTINCT value, ?1 FROM json_each(?2)")
        .bind(tenantId, JSON.stringify(origins)),
    ];
  }

  private insertKey(
    tenantId: string,
    { keyId, secretHash }: { keyId: string; secretHash: string },
    { role, label, by }: { readonly role: KeyRole; readonly label: string | undefined; readonly by: ActorRecord },
  ): D1PreparedStatement[] {
    return [
      this.db
        .prepare(
          "INSERT INTO keys (key_id, tenant_id, role, secret_hash, label, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(keyId, tenantId, role, secretHash, label ?? null, this.now()),
      this.insertKeyAct(tenantId, "key.created", { keyId, role, label }, by),
    ];
  }

  /** Who made or deleted a key; behind the statement that does it. */
  private insertKeyAct(
    tenantId: string,
    type: "key.created" | "key.deleted",
    { keyId, role, label }: Omit<KeyRecord, "createdAt">,
    by: ActorRecord,
  ): D1PreparedStatement {
    const subject = { kind: "keys", name: keyId, keyRole: role, keyLabel: label };
    const decision = type === "key.created" ? "created" : "deleted";
    return insertResourceAct(this.db, tenantId, { type, decision, actor: by, subject, reasons: [], at: this.now() });
  }
}

function readKeyRecord(row: unknown): KeyRecord {
  const { key_id, role, label, created_at } = keyRow.parse(row);
  return { keyId: key_id, role, label: label ?? undefined, createdAt: created_at };
}

function readTenant(row: unknown): Tenant {
  const { tenant_id, name, settings, jurisdiction, created_at } = tenantRow.parse(row);
  return {
    tenantId: tenant_id,
    name,
    settings: storedSettingsSchema.parse(JSON.parse(settings)),
    jurisdiction: jurisdiction ?? undefined,
    createdAt: created_at,
  };
}
