/** Tenants' resources in D1: each by kind and name, in versions that never change. */
import { z } from "zod";
import { type AutoItem, autoExcerptCharacters, maxAutoItems } from "../chat/context.js";
import type { Sealer } from "../platform/secrets.js";
import { all, type Database, first, hasChanged, listed, type Sql, sql } from "../platform/sql.js";
import {
  type ResourceBody,
  type ResourceKind,
  type ResourcePin,
  type ResourceVersion,
  resourceKinds,
} from "../tenancy/resources.js";
import { integer, number, text, textOrNull } from "./columns.js";
import { includeOf, type NewVersion, removeStatements, storeStatements, type WriteAuthor } from "./resource-writes.js";
import { parseBody, SealedBodies } from "./sealed-bodies.js";
import type { SecretStore } from "./secret-store.js";
import { pinRow, VersionCache } from "./version-cache.js";
import { claimingBatch, claimStatements, type WorkClaim } from "./work-claims.js";

const headRow = z.object({
  kind: z.enum(resourceKinds),
  name: text,
  version: integer,
  body: text,
  updated_at: number,
  deleted: number,
  /** Who stored it, as JSON. */
  author: textOrNull,
});
const countRow = z.object({ n: z.number() });

const versionRow = headRow.omit({ updated_at: true, deleted: true, author: true }).extend({ created_at: z.number() });

export type PutOutcome =
  | { readonly kind: "stored"; readonly version: number; readonly created: boolean }
  | { readonly kind: "precondition_failed"; readonly current: number | undefined }
  /** There are as many that include themselves as there may be. */
  | { readonly kind: "too_many_auto" };

/** Who stores or deletes, why, and the key under which it is done once. */
interface AuthoredWrite extends Omit<WriteAuthor, "at"> {
  readonly claim?: WorkClaim | undefined;
}

const maxToolsOfServers = 200;

/** A tenant's resources in D1. Every query carries the tenant; secrets are sealed in every version. */
export class ResourceStore {
  private readonly cache = new VersionCache();
  private readonly bodies: SealedBodies;

  constructor(
    private readonly db: Database,
    sealer: Sealer,
    private readonly now: () => number,
    private readonly secrets: SecretStore,
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
    { claim, ...author }: AuthoredWrite = {},
  ): Promise<PutOutcome> {
    for (;;) {
      const head = await this.head(tenantId, kind, name);
      const current = head === undefined || head.deleted === 1 ? undefined : head.version;
      if (expected !== undefined && expected !== (current ?? 0)) return { kind: "precondition_failed", current };
      if (current !== undefined && head !== undefined && (await this.bodies.isStored(body, head.body)))
        return { kind: "stored", version: current, created: false };
      if (includeOf(body) === "auto" && (await this.hasMostAuto(tenantId, kind, name)))
        return { kind: "too_many_auto" };
      const version = (head?.version ?? 0) + 1;
      const stored = await this.insert(
        tenantId,
        { kind, name, version, body: await this.bodies.seal(body), include: includeOf(body) },
        { ...author, at: this.now() },
        claimStatements(claim, current === undefined ? "created" : "changed"),
      );
      if (stored) return { kind: "stored", version, created: current === undefined };
      // Somebody else stored that version meanwhile: decide anew on what they stored.
    }
  }

  /** Stores a version under its very number, as it was elsewhere. `other`: what is here was stored or deleted here, and stays. */
  async copy(
    tenantId: string,
    { kind, name, version, body }: ResourceVersion,
    author: Pick<AuthoredWrite, "by">,
  ): Promise<"stored" | "there" | "other"> {
    const sealed = { kind, name, version, body: await this.bodies.seal(body), include: includeOf(body) };
    const head = await this.head(tenantId, kind, name);
    const isCopy = head?.deleted === 0 && head.version < version && head.author === JSON.stringify(author.by);
    const isFree = head === undefined || isCopy;
    if (isFree && (await this.insert(tenantId, sealed, { ...author, at: this.now() }, []))) return "stored";
    const [there] = await all(this.db, versionRow)`SELECT kind, name, version, body, created_at FROM resource_versions
      WHERE tenant_id = ${tenantId} AND kind = ${kind} AND name = ${name} AND version = ${version}`;
    return there !== undefined && (await this.bodies.isStored(body, there.body)) ? "there" : "other";
  }

  async get<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    name: string,
  ): Promise<(ResourceVersion<K> & { readonly updatedAt: number }) | undefined> {
    const row = await first(this.db, headRow)`${selectHeads} WHERE ${isCurrent(tenantId, kind)} AND h.name = ${name}`;
    return row && this.versionOf(kind, row);
  }

  async list<K extends ResourceKind>(
    tenantId: string,
    kind: K,
    after: string,
    limit: number,
  ): Promise<(ResourceVersion<K> & { readonly updatedAt: number })[]> {
    const rows = await all(this.db, headRow)`
      ${selectHeads} WHERE ${isCurrent(tenantId, kind)} AND h.name > ${after} ORDER BY h.name LIMIT ${limit}`;
    return Promise.all(rows.map((row) => this.versionOf(kind, row)));
  }

  /** False when there was none. */
  async remove(
    tenantId: string,
    kind: ResourceKind,
    name: string,
    { by, reason, claim }: AuthoredWrite = {},
  ): Promise<boolean> {
    const at = this.now();
    const [removed] = await claimingBatch(this.db, [
      ...removeStatements(tenantId, { kind, name }, { by, reason, at }),
      ...claimStatements(claim, "deleted"),
    ]);
    return hasChanged(removed);
  }

  /** The current versions of the tools of these servers. */
  async toolPins(tenantId: string, servers: readonly string[]): Promise<ResourcePin[]> {
    return this.cache.readPins(
      tenantId,
      await all(this.db, pinRow)`SELECT h.kind, h.name, h.version, h.updated_at FROM resource_heads h
        JOIN resource_versions v USING (tenant_id, kind, name, version)
        WHERE h.tenant_id = ${tenantId} AND h.kind = 'tools' AND h.deleted = 0
          AND json_extract(v.body, '$.server') IN ${listed([...new Set(servers)])}
        ORDER BY h.name LIMIT ${maxToolsOfServers}`,
    );
  }

  /** The current versions of the rules and references that a message may bring in by what it is about. */
  async autoPins(tenantId: string): Promise<ResourcePin[]> {
    return this.cache.readPins(
      tenantId,
      await all(this.db, pinRow)`SELECT kind, name, version, updated_at FROM resource_heads
        WHERE tenant_id = ${tenantId} AND deleted = 0 AND auto = 1 ORDER BY kind, name LIMIT ${2 * maxAutoItems}`,
    );
  }

  /** Of rules and references: what they are about, without loading them. */
  async excerpts(tenantId: string, pins: readonly ResourcePin[]): Promise<(AutoItem & Pick<ResourcePin, "kind">)[]> {
    const versions = pins.map(({ kind, name, version }) => `${kind}/${name}/${version}`);
    return all(this.db, excerptRow)`
      SELECT kind, name, json_extract(body, '$.description') AS description,
        length(json_extract(body, '$.text')) AS characters,
        substr(json_extract(body, '$.text'), 1, ${autoExcerptCharacters}) AS text
      FROM resource_versions WHERE tenant_id = ${tenantId} AND kind IN ('rules', 'references')
        AND (kind || '/' || name || '/' || version) IN ${listed(versions)}
        AND name IN ${listed(pins.map(({ name }) => name))}`;
  }

  /** The current versions of these, and of all rules and references that are in force always. One query. */
  async pins(
    tenantId: string,
    refs: readonly { readonly kind: ResourceKind; readonly name: string }[],
  ): Promise<ResourcePin[]> {
    const names = refs.map(({ kind, name }) => `${kind}/${name}`);
    return this.cache.readPins(
      tenantId,
      await all(this.db, pinRow)`SELECT kind, name, version, updated_at FROM resource_heads
        WHERE tenant_id = ${tenantId} AND deleted = 0 AND (always = 1 OR (kind || '/' || name) IN ${listed(names)})`,
    );
  }

  /** The versions of these pins with the secrets that they name, to be used; from the cache where it has them. */
  async versions(tenantId: string, pins: readonly ResourcePin[]): Promise<ResourceVersion[]> {
    const keyOf = (pin: ResourcePin): string => `${pin.kind}/${pin.name}/${pin.version}`;
    // Kept apart from the cache, which may be smaller than what one turn needs.
    const found = new Map(pins.map((pin) => [keyOf(pin), this.cache.get(tenantId, pin)]));
    const missing = pins.filter((pin) => found.get(keyOf(pin)) === undefined);
    if (missing.length > 0) {
      const rows = await all(this.db, versionRow)`SELECT kind, name, version, body, created_at FROM resource_versions
        WHERE tenant_id = ${tenantId} AND (kind || '/' || name || '/' || version) IN ${listed(missing.map(keyOf))}
          AND name IN ${listed(missing.map(({ name }) => name))}`;
      for (const row of rows) {
        const body = await this.bodies.open(row.kind, row.name, row.body);
        const version: ResourceVersion = { kind: row.kind, name: row.name, version: row.version, body };
        found.set(keyOf(version), version);
        this.cache.put(tenantId, version, row.created_at);
      }
    }
    return Promise.all(
      pins.flatMap((pin) => found.get(keyOf(pin)) ?? []).map((version) => this.filled(tenantId, version)),
    );
  }

  /** A version with the secrets that it names in their places, which change without it. */
  async filled<K extends ResourceKind>(tenantId: string, version: ResourceVersion<K>): Promise<ResourceVersion<K>> {
    const { kind, body } = version;
    const filled = await this.secrets.fill(tenantId, body, (whole) => parseBody(kind, whole));
    return filled === body ? version : { ...version, body: filled };
  }

  private async hasMostAuto(tenantId: string, kind: ResourceKind, name: string): Promise<boolean> {
    const row = await first(this.db, countRow)`SELECT COUNT(*) AS n FROM resource_heads
      WHERE tenant_id = ${tenantId} AND kind = ${kind} AND name <> ${name} AND deleted = 0 AND auto = 1`;
    return (row?.n ?? 0) >= maxAutoItems;
  }

  private head(tenantId: string, kind: ResourceKind, name: string) {
    return first(this.db, headRow)`
      ${selectHeads} WHERE h.tenant_id = ${tenantId} AND h.kind = ${kind} AND h.name = ${name}`;
  }

  private async insert(tenantId: string, version: NewVersion, author: WriteAuthor, claiming: readonly Sql[]) {
    try {
      await claimingBatch(this.db, [...storeStatements(tenantId, version, author), ...claiming]);
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

const selectHeads = sql`SELECT h.kind, h.name, h.version, h.updated_at, h.deleted, v.body, v.author FROM resource_heads h
  JOIN resource_versions v USING (tenant_id, kind, name, version)`;

function isCurrent(tenantId: string, kind: ResourceKind): Sql {
  return sql`h.tenant_id = ${tenantId} AND h.deleted = 0 AND h.kind = ${kind}`;
}

const excerptRow = z.object({
  kind: z.enum(resourceKinds),
  name: text,
  description: z
    .string()
    .nullish()
    .transform((description) => description ?? undefined),
  text: text,
  characters: integer,
});
