import { z } from "zod";
import {
  type ResourceBody,
  type ResourceKind,
  type ResourcePin,
  type ResourceVersion,
  resourceKinds,
  resourcePinSchema,
  resourceSchemas,
} from "../tenancy/resources.js";
import { mapSecretsLater, secretsIn } from "../tenancy/secrets.js";
import type { Sealer } from "./secrets.js";

const headRow = z.object({
  kind: z.enum(resourceKinds),
  name: z.string(),
  version: z.int(),
  body: z.string(),
  updated_at: z.number(),
});

export type PutOutcome =
  | { readonly kind: "stored"; readonly version: number; readonly created: boolean }
  | { readonly kind: "precondition_failed"; readonly current: number | undefined };

/** Versions are immutable, so those read lately are kept; bounded, and nothing depends on it. */
const cacheSize = 500;
const maxToolsOfServers = 200;

/** Stands before what is sealed. What was stored before secrets were sealed has none, and is read as it is. */
const sealedMark = "sealed:";
/** Stands for a secret that was sealed under another `SEALING_SECRET`, where it would be hidden anyway. */
const unreadable = "[sealed under another secret; store it again]";

/** A tenant's resources in D1. Every query carries the tenant; secrets are sealed in every version. */
export class ResourceStore {
  private readonly cache = new Map<string, ResourceVersion>();

  constructor(
    private readonly db: D1Database,
    private readonly sealer: Sealer,
    private readonly now: () => number,
  ) {}

  /**
   * Stores a new version, unless the body is what counts already.
   * @param expected the version that has to be the current one (`If-Match`); 0 for none.
   */
  async put<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    name: string,
    body: ResourceBody<K>,
    expected?: number,
  ): Promise<PutOutcome> {
    const text = JSON.stringify(body);
    for (;;) {
      const head = await this.head(tenantId, kind, name);
      const current = head === null || head.deleted === 1 ? undefined : head.version;
      if (expected !== undefined && expected !== (current ?? 0)) return { kind: "precondition_failed", current };
      if (current !== undefined && (await this.isStored(text, head?.body)))
        return { kind: "stored", version: current, created: false };
      const version = (head?.version ?? 0) + 1;
      const stored = await this.insert(tenantId, kind, name, version, await this.sealed(body), includeOf(body));
      if (stored) return { kind: "stored", version, created: current === undefined };
      // Somebody else stored that version meanwhile: decide anew on what they stored.
    }
  }

  async get<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    name: string,
  ): Promise<(ResourceVersion<K> & { readonly updatedAt: number }) | undefined> {
    const row = await this.db
      .prepare(`${selectHeads} AND h.kind = ?2 AND h.name = ?3`)
      .bind(tenantId, kind, name)
      .first();
    return row === null ? undefined : this.versionOf(kind, headRow.parse(row));
  }

  async list<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    after: string,
    limit: number,
  ): Promise<(ResourceVersion<K> & { readonly updatedAt: number })[]> {
    const { results } = await this.db
      .prepare(`${selectHeads} AND h.kind = ?2 AND h.name > ?3 ORDER BY h.name LIMIT ?4`)
      .bind(tenantId, kind, after, limit)
      .all();
    return Promise.all(results.map((row) => this.versionOf(kind, headRow.parse(row))));
  }

  /** False when there was none. */
  async remove(tenantId: string, kind: ResourceKind, name: string): Promise<boolean> {
    const { meta } = await this.db
      .prepare(
        "UPDATE resource_heads SET deleted = 1, always = 0, auto = 0, updated_at = ? WHERE tenant_id = ? AND kind = ? AND name = ? AND deleted = 0",
      )
      .bind(this.now(), tenantId, kind, name)
      .run();
    return meta.changes > 0;
  }

  /** The current versions of the tools of these servers. */
  async toolPins(tenantId: string, servers: readonly string[]): Promise<ResourcePin[]> {
    const { results } = await this.db
      .prepare(
        `SELECT h.kind, h.name, h.version FROM resource_heads h JOIN resource_versions v USING (tenant_id, kind, name, version)
         WHERE h.tenant_id = ?1 AND h.kind = 'tools' AND h.deleted = 0
           AND json_extract(v.body, '$.server') IN (SELECT value FROM json_each(?2)) ORDER BY h.name LIMIT ?3`,
      )
      .bind(tenantId, JSON.stringify([...new Set(servers)]), maxToolsOfServers)
      .all();
    return z.array(resourcePinSchema).parse(results);
  }

  /** The current versions of these, and of all rules and references that include themselves (always or auto). One query. */
  async pins(
    tenantId: string,
    wanted: readonly { readonly kind: ResourceKind; readonly name: string }[],
  ): Promise<ResourcePin[]> {
    const { results } = await this.db
      .prepare(
        `SELECT kind, name, version FROM resource_heads
         WHERE tenant_id = ?1 AND deleted = 0
           AND (always = 1 OR auto = 1 OR (kind || '/' || name) IN (SELECT value FROM json_each(?2)))`,
      )
      .bind(tenantId, JSON.stringify(wanted.map(({ kind, name }) => `${kind}/${name}`)))
      .all();
    return z.array(resourcePinSchema).parse(results);
  }

  /** The versions of these pins, from the cache where it has them. */
  async versions(tenantId: string, pins: readonly ResourcePin[]): Promise<ResourceVersion[]> {
    const keyOf = (pin: ResourcePin): string => `${tenantId}/${pin.kind}/${pin.name}/${pin.version}`;
    const missing = pins.filter((pin) => !this.cache.has(keyOf(pin)));
    if (missing.length > 0) {
      const { results } = await this.db
        .prepare(
          `SELECT kind, name, version, body FROM resource_versions WHERE tenant_id = ?1
             AND (kind || '/' || name || '/' || version) IN (SELECT value FROM json_each(?2))
             AND name IN (SELECT value FROM json_each(?3))`,
        )
        .bind(
          tenantId,
          JSON.stringify(missing.map(({ kind, name, version }) => `${kind}/${name}/${version}`)),
          JSON.stringify(missing.map(({ name }) => name)),
        )
        .all();
      for (const row of z.array(headRow.omit({ updated_at: true })).parse(results)) {
        const version = await this.parse(row.kind, row, () => {
          throw new Error(
            `the secrets of ${row.kind}/${row.name} can't be opened with this SEALING_SECRET; store it again`,
          );
        });
        this.remember(keyOf(version), version);
      }
    }
    return pins.flatMap((pin) => this.cache.get(keyOf(pin)) ?? []);
  }

  private head(tenantId: string, kind: ResourceKind, name: string) {
    return this.db
      .prepare(
        `SELECT h.version, h.deleted, v.body FROM resource_heads h JOIN resource_versions v USING (tenant_id, kind, name, version)
         WHERE h.tenant_id = ? AND h.kind = ? AND h.name = ?`,
      )
      .bind(tenantId, kind, name)
      .first<{ version: number; deleted: number; body: string }>();
  }

  private async insert(
    tenantId: string,
    kind: string,
    name: string,
    version: number,
    body: string,
    include: string | undefined,
  ): Promise<boolean> {
    const now = this.now();
    try {
      await this.db.batch([
        this.db
          .prepare(
            "INSERT INTO resource_versions (tenant_id, kind, name, version, body, created_at) VALUES (?, ?, ?, ?, ?, ?)",
          )
          .bind(tenantId, kind, name, version, body, now),
        this.db
          .prepare(
            `INSERT INTO resource_heads (tenant_id, kind, name, version, deleted, always, auto, updated_at)
             VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE SET version = ?4, deleted = 0, always = ?5, auto = ?6, updated_at = ?7`,
          )
          .bind(tenantId, kind, name, version, include === "always" ? 1 : 0, include === "auto" ? 1 : 0, now),
      ]);
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.includes("UNIQUE constraint failed")) return false;
      throw error;
    }
  }

  /** To be shown: a secret that can't be opened any more is no obstacle to that. */
  private async versionOf<K extends ResourceKind>(
    kind: K,
    row: z.infer<typeof headRow>,
  ): Promise<ResourceVersion<K> & { readonly updatedAt: number }> {
    return { ...(await this.parse(kind, row, () => unreadable)), updatedAt: row.updated_at };
  }

  private async parse<K extends ResourceKind>(
    kind: K,
    { name, version, body }: { name: string; version: number; body: string },
    unopened: () => string,
  ): Promise<ResourceVersion<K>> {
    return { kind, name, version, body: parseBody(kind, await this.opened(body, unopened)) };
  }

  private async sealed(body: object): Promise<string> {
    return JSON.stringify(await mapSecretsLater(body, async (secret) => sealedMark + (await this.sealer.seal(secret))));
  }

  private opened(stored: string, unopened: () => string): Promise<object> {
    return mapSecretsLater(storedBody.parse(JSON.parse(stored)), async (secret) =>
      secret.startsWith(sealedMark) ? this.sealer.open(secret.slice(sealedMark.length)).catch(unopened) : secret,
    );
  }

  /** Whether that is what is stored, and sealed: sealed anew, the same secret reads otherwise. */
  private async isStored(text: string, stored: string | undefined): Promise<boolean> {
    if (stored === undefined || secretsIn(storedBody.parse(JSON.parse(text))).length === 0) return stored === text;
    return stored !== text && JSON.stringify(await this.opened(stored, () => unreadable)) === text;
  }

  private remember(key: string, version: ResourceVersion): void {
    if (this.cache.size >= cacheSize) {
      const [oldest] = this.cache.keys();
      if (oldest !== undefined) this.cache.delete(oldest);
    }
    this.cache.set(key, version);
  }
}

const selectHeads = `
  SELECT h.kind, h.name, h.version, h.updated_at, v.body
  FROM resource_heads h JOIN resource_versions v USING (tenant_id, kind, name, version)
  WHERE h.tenant_id = ?1 AND h.deleted = 0`;

const storedBody = z.record(z.string(), z.unknown());

export function parseBody<K extends ResourceKind>(kind: K, body: unknown): ResourceBody<K> {
  return resourceSchemas[kind].parse(body);
}

function includeOf(body: object): string | undefined {
  return "include" in body && typeof body.include === "string" ? body.include : undefined;
}
