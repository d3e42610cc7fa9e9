/** Tenants, their settings and their keys in D1. */
import { z } from "zod";
import { type KeyRole, keyRoles } from "../asks/ask.js";
import { newId } from "../platform/ids.js";
import { matchesKey, readKey, type Sealer } from "../platform/secrets.js";
import { type Settings, type StoredSettings, storedSettingsSchema } from "../tenancy/tenant.js";
import type { CreationKey } from "./creation-claims.js";
import type { Database } from "./database.js";
import { type ClaimRefusal, KeyClaims } from "./key-claims.js";

export interface Tenant {
  readonly tenantId: string;
  readonly name: string;
  readonly settings: StoredSettings;
  readonly createdAt: number;
}

export interface KeyRecord {
  readonly keyId: string;
  readonly role: KeyRole;
  readonly label: string | undefined;
  readonly createdAt: number;
}

/** Who calls, as their key says. */
export interface Caller {
  readonly tenantId: string;
  readonly keyId: string;
  readonly role: KeyRole;
  /** Of the tenant's settings: what every request asks for. */
  readonly clientMay: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Raised with every change of its settings, keys, resources, pinned tools and webhooks. */
  readonly revision: number;
}

/** What a token depends on: the key that it was minted with, and that its subject wasn't revoked. */
export interface TokenGround extends Omit<Caller, "keyId" | "role"> {
  /** Milliseconds since the epoch. */
  readonly revokedAt: number | undefined;
}

const tenantRow = z.object({ tenant_id: z.string(), name: z.string(), settings: z.string(), created_at: z.number() });
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
   * @param request the key that it came with
   */
  async create(
    name: string,
    settings: Settings,
    request?: CreationKey,
  ): Promise<{ kind: "made"; tenantId: string; key: string } | ClaimRefusal> {
    const claim = await this.claims.claim(request, newId("ten"), newId("key"));
    if (claim.kind !== "claimed") return claim;
    const { id: tenantId, created } = claim;
    // Of one that is there its settings may have been changed since.
    const isNew = request === undefined || (await this.get(tenantId)) === undefined;
    const sealed = JSON.stringify(await this.sealSettings(settings));
    const insert = this.db
      .prepare("INSERT INTO tenants (tenant_id, name, settings, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .bind(tenantId, name, sealed, this.now());
    await this.db.batch([
      ...(isNew ? [insert, ...this.originStatements(tenantId, settings.corsOrigins)] : []),
      this.insertKey(tenantId, created, "admin", undefined),
    ]);
    return { kind: "made", tenantId, key: created.key };
  }

  /** A tenant's revision now; nothing of one that is gone. */
  async revision(tenantId: string): Promise<number | undefined> {
    const row = await this.db.prepare("SELECT revision FROM tenants WHERE tenant_id = ?").bind(tenantId).first();
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

  async update(tenantId: string, name: string, settings: StoredSettings): Promise<void> {
    await this.db.batch([
      this.db
        .prepare("UPDATE tenants SET name = ?, settings = ? WHERE tenant_id = ?")
        .bind(name, JSON.stringify(settings), tenantId),
      ...this.originStatements(tenantId, settings.corsOrigins),
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
    role: KeyRole,
    label: string | undefined,
    request?: CreationKey,
  ): Promise<{ kind: "made"; keyId: string; key: string } | ClaimRefusal> {
    const keyId = newId("key");
    const claim = await this.claims.claim(request, keyId, keyId);
    if (claim.kind !== "claimed") return claim;
    const { created } = claim;
    await this.insertKey(tenantId, created, role, label).run();
    return { kind: "made", keyId: created.keyId, key: created.key };
  }

  async listKeys(tenantId: string, after: string, limit: number): Promise<KeyRecord[]> {
    const { results } = await this.db
      .prepare(
        "SELECT key_id, role, label, created_at FROM keys WHERE tenant_id = ? AND key_id > ? ORDER BY key_id LIMIT ?",
      )
      .bind(tenantId, after, limit)
      .all();
    return z
      .array(keyRow)
      .parse(results)
      .map((row) => ({ keyId: row.key_id, role: row.role, label: row.label ?? undefined, createdAt: row.created_at }));
  }

  async removeKey(tenantId: string, keyId: string): Promise<boolean> {
    const { meta } = await this.db
      .prepare("DELETE FROM keys WHERE tenant_id = ? AND key_id = ?")
      .bind(tenantId, keyId)
      .run();
    return meta.changes > 0;
  }

  /** Removes a key, but for the last one of role admin. */
  async removeKeyUnlessLast(tenantId: string, keyId: string): Promise<"removed" | "last_admin" | "none"> {
    const [removed, left] = await this.db.batch([
      this.db
        .prepare(
          `DELETE FROM keys WHERE tenant_id = ?1 AND key_id = ?2
             AND (role <> 'admin' OR (SELECT COUNT(*) FROM keys WHERE tenant_id = ?1 AND role = 'admin') > 1)`,
        )
        .bind(tenantId, keyId),
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

  /** Who presents this key; `undefined` when nobody may. */
  async authenticate(presented: string): Promise<Caller | undefined> {
    const parts = readKey(presented);
    if (parts === undefined) return undefined;
    const row = await this.db
      .prepare(
        `SELECT k.tenant_id, k.role, k.secret_hash, ${settingsColumns} FROM keys k JOIN tenants t USING (tenant_id) WHERE k.key_id = ?`,
      )
      .bind(parts.keyId)
      .first();
    // The comparison is made for unknown ids too, so that time doesn't tell which ids there are.
    const known = row === null ? undefined : authenticationRow.parse(row);
    const matches = await matchesKey(parts.secret, known?.secret_hash ?? "");
    return known !== undefined && matches
      ? { tenantId: known.tenant_id, keyId: parts.keyId, role: known.role, ...settingsOf(known) }
      : undefined;
  }

  /** What a token rests on; `undefined` when the key that it was minted with is gone. */
  async tokenGround(tenantId: string, keyId: string, subject: string): Promise<TokenGround | undefined> {
    const row = await this.db
      .prepare(
        `SELECT ${settingsColumns},
           (SELECT revoked_at FROM revoked_subjects WHERE tenant_id = ?1 AND subject = ?3) AS revoked_at
         FROM keys k JOIN tenants t USING (tenant_id) WHERE k.tenant_id = ?1 AND k.key_id = ?2`,
      )
      .bind(tenantId, keyId, subject)
      .first();
    if (row === null) return undefined;
    const ground = groundRow.parse(row);
    return { tenantId, revokedAt: ground.revoked_at ?? undefined, ...settingsOf(ground) };
  }

  async sealSettings(settings: Settings): Promise<StoredSettings> {
    const providers: StoredSettings["providers"] = {};
    for (const [name, { baseUrl, apiKey }] of Object.entries(settings.providers)) {
      providers[name] = { baseUrl, sealedApiKey: await this.sealer.seal(apiKey) };
    }
    return { ...settings, providers };
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
    created: { keyId: string; secretHash: string },
    role: KeyRole,
    label: string | undefined,
  ): D1PreparedStatement {
    return this.db
      .prepare(
        "INSERT INTO keys (key_id, tenant_id, role, secret_hash, label, created_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      )
      .bind(created.keyId, tenantId, role, created.secretHash, label ?? null, this.now());
  }
}

const settingsColumns =
  "json_extract(t.settings, '$.clientMay') AS client_may, json_extract(t.settings, '$.corsOrigins') AS cors_origins, t.revision";
const revisionRow = z.object({ revision: z.int() });
const settingsRow = revisionRow.extend({ client_may: z.string().nullable(), cors_origins: z.string().nullable() });
const authenticationRow = settingsRow.extend({
  tenant_id: z.string(),
  role: z.enum(keyRoles),
  secret_hash: z.string(),
});
const groundRow = settingsRow.extend({ revoked_at: z.number().nullable() });
const texts = z.array(z.string());

function settingsOf(row: z.infer<typeof settingsRow>): Pick<Caller, "clientMay" | "corsOrigins" | "revision"> {
  return {
    revision: row.revision,
    clientMay: texts.parse(JSON.parse(row.client_may ?? "[]")),
    corsOrigins: texts.parse(JSON.parse(row.cors_origins ?? "[]")),
  };
}

function readTenant(row: unknown): Tenant {
  const { tenant_id, name, settings, created_at } = tenantRow.parse(row);
  return {
    tenantId: tenant_id,
    name,
    settings: storedSettingsSchema.parse(JSON.parse(settings)),
    createdAt: created_at,
  };
}
