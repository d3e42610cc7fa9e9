/** Tenants, their settings and their keys in D1. */
import { z } from "zod";
import { type Role, roles } from "../asks/ask.js";
import { newId } from "../platform/ids.js";
import { makeKey, matchesKey, readKey, type Sealer } from "../platform/secrets.js";
import { type Settings, type StoredSettings, storedSettingsSchema } from "../tenancy/tenant.js";

export interface Tenant {
  readonly tenantId: string;
  readonly name: string;
  readonly settings: StoredSettings;
  readonly createdAt: number;
}

export interface KeyRecord {
  readonly keyId: string;
  readonly role: Role;
  readonly label: string | undefined;
  readonly createdAt: number;
}

/** Who calls, as their key says. */
export interface Caller {
  readonly tenantId: string;
  readonly keyId: string;
  readonly role: Role;
}

const tenantRow = z.object({ tenant_id: z.string(), name: z.string(), settings: z.string(), created_at: z.number() });
const keyRow = z.object({
  key_id: z.string(),
  role: z.enum(roles),
  label: z.string().nullable(),
  created_at: z.number(),
});

/** Tenants and keys in D1. */
export class TenantStore {
  constructor(
    private readonly db: D1Database,
    private readonly sealer: Sealer,
    private readonly now: () => number,
  ) {}

  /** Makes a tenant with its first key, of role admin. The key is given out here and never again. */
  async create(name: string, settings: Settings): Promise<{ tenantId: string; key: string }> {
    const tenantId = newId("ten");
    const created = await makeKey(newId("key"));
    await this.db.batch([
      this.db
        .prepare("INSERT INTO tenants (tenant_id, name, settings, created_at) VALUES (?, ?, ?, ?)")
        .bind(tenantId, name, JSON.stringify(await this.sealSettings(settings)), this.now()),
      this.insertKey(tenantId, created, "admin", undefined),
    ]);
    return { tenantId, key: created.key };
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
    await this.db
      .prepare("UPDATE tenants SET name = ?, settings = ? WHERE tenant_id = ?")
      .bind(name, JSON.stringify(settings), tenantId)
      .run();
  }

  /** Removes the tenant and all its rows. */
  async remove(tenantId: string): Promise<boolean> {
    const { meta } = await this.db.prepare("DELETE FROM tenants WHERE tenant_id = ?").bind(tenantId).run();
    return meta.changes > 0;
  }

  async createKey(tenantId: string, role: Role, label: string | undefined): Promise<{ keyId: string; key: string }> {
    const created = await makeKey(newId("key"));
    await this.insertKey(tenantId, created, role, label).run();
    return { keyId: created.keyId, key: created.key };
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

  /** All of a tenant's: from now on nobody calls in its name. */
  async removeKeys(tenantId: string): Promise<void> {
    await this.db.prepare("DELETE FROM keys WHERE tenant_id = ?").bind(tenantId).run();
  }

  /** Who presents this key; `undefined` when nobody may. */
  async authenticate(presented: string): Promise<Caller | undefined> {
    const parts = readKey(presented);
    if (parts === undefined) return undefined;
    const row = await this.db
      .prepare("SELECT tenant_id, role, secret_hash FROM keys WHERE key_id = ?")
      .bind(parts.keyId)
      .first();
    // The comparison is made for unknown ids too, so that time doesn't tell which ids there are.
    const known = row === null ? undefined : authenticationRow.parse(row);
    const matches = await matchesKey(parts.secret, known?.secret_hash ?? "");
    return known !== undefined && matches
      ? { tenantId: known.tenant_id, keyId: parts.keyId, role: known.role }
      : undefined;
  }

  async sealSettings(settings: Settings): Promise<StoredSettings> {
    const providers: StoredSettings["providers"] = {};
    for (const [name, { baseUrl, apiKey }] of Object.entries(settings.providers)) {
      providers[name] = { baseUrl, sealedApiKey: await this.sealer.seal(apiKey) };
    }
    return { ...settings, providers };
  }

  private insertKey(
    tenantId: string,
    created: { keyId: string; secretHash: string },
    role: Role,
    label: string | undefined,
  ): D1PreparedStatement {
    return this.db
      .prepare("INSERT INTO keys (key_id, tenant_id, role, secret_hash, label, created_at) VALUES (?, ?, ?, ?, ?, ?)")
      .bind(created.keyId, tenantId, role, created.secretHash, label ?? null, this.now());
  }
}

const authenticationRow = z.object({ tenant_id: z.string(), role: z.enum(roles), secret_hash: z.string() });

function readTenant(row: unknown): Tenant {
  const { tenant_id, name, settings, created_at } = tenantRow.parse(row);
  return {
    tenantId: tenant_id,
    name,
    settings: storedSettingsSchema.parse(JSON.parse(settings)),
    createdAt: created_at,
  };
}
