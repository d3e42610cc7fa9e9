/** Tenants' resources in D1: each by kind and name, in versions that never change. */
import { z } from "zod";
import { type AutoItem, autoExcerptCharacters, maxAutoItems } from "../chat/context.js";
import type { ActorRecord } from "../conversation/actor-record.js";
import type { Sealer } from "../platform/secrets.js";
import {
  type ResourceBody,
  type ResourceKind,
  type ResourcePin,
  type ResourceVersion,
  resourceKinds,
} from "../tenancy/resources.js";
import { insertResourceAct } from "./audit-log.js";
import type { Database } from "./database.js";
import { SealedBodies } from "./sealed-bodies.js";
import { VersionCache } from "./version-cache.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

const headRow = z.object({
  kind: z.enum(resourceKinds),
  name: z.string(),
  version: z.int(),
  body: z.string(),
  updated_at: z.number(),
});

const versionRow = headRow.omit({ updated_at: true }).extend({ created_at: z.number() });

export type PutOutcome =
  | { readonly kind: "stored"; readonly version: number; readonly created: boolean }
  | { readonly kind: "precondition_failed"; readonly current: number | undefined }
  /** There are as many that include themselves as there may be. */
  | { readonly kind: "too_many_auto" };

const maxToolsOfServers = 200;

/** A tenant's resources in D1. Every query carries the tenant; secrets are sealed in every version. */
export class ResourceStore {
  private readonly cache = new VersionCache();
  private readonly bodies: SealedBodies;

  constructor(
    private readonly db: Database,
    sealer: Sealer,
    private readonly now: () => number,
  ) {
    this.bodies = new SealedBodies(sealer);
  }

  /**
   * Stores a new version, unless the body is what counts already.
   * @param expected the version that has to be the current one (`If-Match`); 0 for none.
   * @throws {KeyTakenError} where it was stored under this key meanwhile
   */
  async put<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    name: string,
    body: ResourceBody<K>,
    expected?: number,
    author?: ActorRecord,
    claim?: WorkClaim,
  ): Promise<PutOutcome> {
    for (;;) {
      const head = await this.head(tenantId, kind, name);
      const current = head === null || head.deleted === 1 ? undefined : head.version;
      if (expected !== undefined && expected !== (current ?? 0)) return { kind: "precondition_failed", current };
      if (current !== undefined && head !== null && (await this.bodies.isStored(body, head.body)))
        return { kind: "stored", version: current, created: false };
      if (includeOf(body) === "auto" && (await this.hasMostAuto(tenantId, kind, name)))
        return { kind: "too_many_auto" };
      const version = (head?.version ?? 0) + 1;
      const stored = await this.insert(
        tenantId,
        kind,
        name,
        version,
        await this.bodies.seal(body),
        includeOf(body),
        author,
        claimStatements(this.db, claim, current === undefined ? "created" : "changed"),
      );
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
  async remove(
    tenantId: string,
    kind: ResourceKind,
    name: string,
    author?: ActorRecord,
    claim?: WorkClaim,
  ): Promise<boolean> {
    const at = this.now();
    const removal = this.db
      .prepare(
        "UPDATE resource_heads SET deleted = 1, always = 0, auto = 0, updated_at = ? WHERE tenant_id = ? AND kind = ? AND name = ? AND deleted = 0",
      )
      .bind(at, tenantId, kind, name);
    const [removed] = await claimingBatch(this.db, [
      removal,
      insertResourceAct(this.db, tenantId, {
        ...{ type: "resource.deleted", decision: "deleted", actor: author, subject: { kind, name }, reasons: [], at },
      }),
      ...claimStatements(this.db, claim, "deleted"),
    ]);
    return (removed?.meta.changes ?? 0) > 0;
  }

  /** The current versions of the tools of these servers. */
  async toolPins(tenantId: string, servers: readonly string[]): Promise<ResourcePin[]> {
    const { results } = await this.db
      .prepare(
        `SELECT h.kind, h.name, h.version, h.updated_at FROM resource_heads h JOIN resource_versions v USING (tenant_id, kind, name, version)
         WHERE h.tenant_id = ?1 AND h.kind = 'tools' AND h.deleted = 0
           AND json_extract(v.body, '$.server') IN (SELECT value FROM json_each(?2)) ORDER BY h.name LIMIT ?3`,
      )
      .bind(tenantId, JSON.stringify([...new Set(servers)]), maxToolsOfServers)
      .all();
    return this.cache.readPins(tenantId, results);
  }

  /** The current versions of the rules and references that a message may bring in by what it is about. */
  async autoPins(tenantId: string): Promise<ResourcePin[]> {
    const { results } = await this.db
      .prepare(
        `SELECT kind, name, version, updated_at FROM resource_heads WHERE tenant_id = ? AND deleted = 0 AND auto = 1
         ORDER BY kind, name LIMIT ?`,
      )
      .bind(tenantId, 2 * maxAutoItems)
      .all();
    return this.cache.readPins(tenantId, results);
  }

  /** Of rules and references: what they are about, without loading them. */
  async excerpts(tenantId: string, pins: readonly ResourcePin[]): Promise<(AutoItem & Pick<ResourcePin, "kind">)[]> {
    const { results } = await this.db
      .prepare(
        `SELECT kind, name, json_extract(body, '$.description') AS description, length(json_extract(body, '$.text')) AS characters,
           substr(json_extract(body, '$.text'), 1, ?3) AS text
         FROM resource_versions WHERE tenant_id = ?1 AND kind IN ('rules', 'references')
           AND (kind || '/' || name || '/' || version) IN (SELECT value FROM json_each(?2))
           AND name IN (SELECT value FROM json_each(?4))`,
      )
      .bind(
        tenantId,
        JSON.stringify(pins.map(({ kind, name, version }) => `${kind}/${name}/${version}`)),
        autoExcerptCharacters,
        JSON.stringify(pins.map(({ name }) => name)),
      )
      .all();
    return z.array(excerptRow).parse(results);
  }

  /** The current versions of these, and of all rules and references that are in force always. One query. */
  async pins(
    tenantId: string,
    refs: readonly { readonly kind: ResourceKind; readonly name: string }[],
  ): Promise<ResourcePin[]> {
    const { results } = await this.db
      .prepare(
        `SELECT kind, name, version, updated_at FROM resource_heads
         WHERE tenant_id = ?1 AND deleted = 0
           AND (always = 1 OR (kind || '/' || name) IN (SELECT value FROM json_each(?2)))`,
      )
      .bind(tenantId, JSON.stringify(refs.map(({ kind, name }) => `${kind}/${name}`)))
      .all();
    return this.cache.readPins(tenantId, results);
  }

  /** The versions of these pins, from the cache where it has them. */
  async versions(tenantId: string, pins: readonly ResourcePin[]): Promise<ResourceVersion[]> {
    const keyOf = (pin: ResourcePin): string => `${pin.kind}/${pin.name}/${pin.version}`;
    // Kept apart from the cache, which may be smaller than what one turn needs.
    const found = new Map(pins.map((pin) => [keyOf(pin), this.cache.get(tenantId, pin)]));
    const missing = pins.filter((pin) => found.get(keyOf(pin)) === undefined);
    if (missing.length > 0) {
      const { results } = await this.db
        .prepare(
          `SELECT kind, name, version, body, created_at FROM resource_versions WHERE tenant_id = ?1
             AND (kind || '/' || name || '/' || version) IN (SELECT value FROM json_each(?2))
             AND name IN (SELECT value FROM json_each(?3))`,
        )
        .bind(tenantId, JSON.stringify(missing.map(keyOf)), JSON.stringify(missing.map(({ name }) => name)))
        .all();
      for (const row of z.array(versionRow).parse(results)) {
        const body = await this.bodies.open(row.kind, row.name, row.body);
        const version: ResourceVersion = { kind: row.kind, name: row.name, version: row.version, body };
        found.set(keyOf(version), version);
        this.cache.put(tenantId, version, row.created_at);
      }
    }
    return pins.flatMap((pin) => found.get(keyOf(pin)) ?? []);
  }

  private async hasMostAuto(tenantId: string, kind: ResourceKind, name: string): Promise<boolean> {
    const row = await this.db
      .prepare(
        "SELECT COUNT(*) AS n FROM resource_heads WHERE tenant_id = ? AND kind = ? AND name <> ? AND deleted = 0 AND auto = 1",
      )
      .bind(tenantId, kind, name)
      .first<{ n: number }>();
    return (row?.n ?? 0) >= maxAutoItems;
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
    author: ActorRecord | undefined,
    claiming: readonly D1PreparedStatement[],
  ): Promise<boolean> {
    const now = this.now();
    const subject = { kind, name, version };
    try {
      await claimingBatch(this.db, [
        this.db
          .prepare(
            "INSERT INTO resource_versions (tenant_id, kind, name, version, body, created_at, author) VALUES (?, ?, ?, ?, ?, ?, ?)",
          )
          .bind(tenantId, kind, name, version, body, now, author === undefined ? null : JSON.stringify(author)),
        this.db
          .prepare(
            `INSERT INTO resource_heads (tenant_id, kind, name, version, deleted, always, auto, updated_at)
             VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE SET version = ?4, deleted = 0, always = ?5, auto = ?6, updated_at = ?7`,
          )
          .bind(tenantId, kind, name, version, include === "always" ? 1 : 0, include === "auto" ? 1 : 0, now),
        insertResourceAct(this.db, tenantId, {
          ...{ type: "resource.stored", decision: "stored", actor: author, subject, reasons: [], at: now },
        }),
        ...claiming,
      ]);
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.includes("UNIQUE constraint failed")) return false;
      throw error;
    }
  }

  private async versionOf<K extends ResourceKind>(
    kind: K,
    { name, version, body, updated_at }: z.infer<typeof headRow>,
  ): Promise<ResourceVersion<K> & { readonly updatedAt: number }> {
    return { kind, name, version, body: await this.bodies.openForShow(kind, body), updatedAt: updated_at };
  }
}

const selectHeads = `
  SELECT h.kind, h.name, h.version, h.updated_at, v.body
  FROM resource_heads h JOIN resource_versions v USING (tenant_id, kind, name, version)
  WHERE h.tenant_id = ?1 AND h.deleted = 0`;

const excerptRow = z.object({
  kind: z.enum(resourceKinds),
  name: z.string(),
  description: z
    .string()
    .nullish()
    .transform((description) => description ?? undefined),
  text: z.string(),
  characters: z.int(),
});

function includeOf(body: object): string | undefined {
  return "include" in body && typeof body.include === "string" ? body.include : undefined;
}
