/** What of a tenant D1 holds, row by row in the order of its keys, as it is copied elsewhere: nothing that is secret. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { shownSecret } from "../conversation/secret-text.js";
import type { Entry } from "../memory/entry.js";
import type { Sealer } from "../platform/secrets.js";
import { all, type Database, first, raw, type Sql, sql } from "../platform/sql.js";
import type { CopiedKind } from "../tenancy/copied-kinds.js";
import { type ResourceKind, resourceKinds } from "../tenancy/resources.js";
import { mapSecrets } from "../tenancy/secrets.js";
import { entryColumns, entryRow, showEntry } from "./memory/entry-rows.js";
import { SealedBodies } from "./sealed-bodies.js";

/** The key of the last row that was read; empty at the beginning. */
export type CopyKey = readonly (string | number)[];

export interface CopiedVersion {
  readonly of: ResourceKind;
  readonly name: string;
  readonly version: number;
  /** As it is shown: its secrets hidden. */
  readonly body: object;
}

/** With its place in its thread, or among those without one. */
type CopiedEntry = Entry & { readonly kind: string; readonly seq: number };

const versionRow = z.object({ kind: z.enum(resourceKinds), name: z.string(), version: z.int(), body: z.string() });
const entryOfMemory = entryRow.extend({ memory_key: z.int(), memory_id: z.string() });
const json = z.string().transform((text): unknown => JSON.parse(text));
const contextRow = z
  .object({
    ...{ memory_key: z.int(), memory_id: z.string(), version: z.int(), document: z.string(), author: z.string() },
    ...{ source: z.string(), flush_key: z.string().nullable(), created_at: z.string() },
    ...{ origins: json, forgotten: json, coverage: json, sources: json },
  })
  .transform(({ memory_key, memory_id: memoryId, flush_key, created_at: createdAt, ...row }) => {
    const key: CopyKey = [memory_key, row.version];
    return [key, { memoryId, ...row, createdAt, ...defined({ flushKey: flush_key ?? undefined }) }] as const;
  });
const idRow = z.object({ id: z.string() });
const pathRow = z.object({ one: z.string(), two: z.string().nullish() });

export class TenantCopy {
  private readonly bodies: SealedBodies;

  constructor(
    private readonly db: Database,
    sealer: Sealer,
  ) {
    this.bodies = new SealedBodies(sealer);
  }

  /** Every version of the resources that there are, their secrets hidden. */
  async versions(tenantId: string, after: CopyKey, limit: number): Promise<[CopyKey, CopiedVersion][]> {
    const [kind = "", name = "", version = 0] = after;
    const rows = await all(this.db, versionRow)`SELECT v.kind, v.name, v.version, v.body FROM resource_versions v
      JOIN resource_heads h ON h.tenant_id = v.tenant_id AND h.kind = v.kind AND h.name = v.name AND h.deleted = 0
      WHERE v.tenant_id = ${tenantId} AND (v.kind, v.name, v.version) > (${kind}, ${name}, ${version})
      ORDER BY v.kind, v.name, v.version LIMIT ${limit}`;
    return Promise.all(
      rows.map(async (row): Promise<[CopyKey, CopiedVersion]> => {
        const body = await this.bodies.openForShow(row.kind, row.body);
        const shown = mapSecrets(body, shownSecret);
        return [[row.kind, row.name, row.version], { of: row.kind, name: row.name, version: row.version, body: shown }];
      }),
    );
  }

  /** By the time at which they were said, so that what is corrected comes before what corrects it; of those that were deleted the places. */
  async entries(tenantId: string, after: CopyKey, limit: number): Promise<[CopyKey, CopiedEntry][]> {
    const [memory = 0, occurredAt = "", entryId = ""] = after;
    const rows = await all(this.db, entryOfMemory)`SELECT memory_key, ${ofMemory}, ${entryColumns} FROM entries
      WHERE memory_key IN (SELECT key FROM memories WHERE tenant_id = ${tenantId})
        AND (memory_key, occurred_at, entry_id) > (${memory}, ${occurredAt}, ${entryId})
      ORDER BY memory_key, occurred_at, entry_id LIMIT ${limit}`;
    return rows.map((row) => {
      const kind = row.deleted_at === null ? "entry" : "entry_place";
      const entry = { kind, ...showEntry(row.memory_id, row), seq: row.seq };
      return [[row.memory_key, row.occurred_at, row.entry_id], entry];
    });
  }

  async contexts(tenantId: string, after: CopyKey, limit: number) {
    const [memory = 0, since = 0] = after;
    const ofVersion = sql`o.memory_key = contexts.memory_key AND o.version = contexts.version`;
    return all(
      this.db,
      contextRow,
    )`SELECT memory_key, ${ofMemory}, version, document, author, source, flush_key, created_at, origins,
        forgotten, (SELECT json_group_object(thread_id, covered_seq) FROM context_coverage o WHERE ${ofVersion}) AS coverage,
        (SELECT json_group_array(entry_id) FROM context_sources o WHERE ${ofVersion}) AS sources FROM contexts
      WHERE memory_key IN (SELECT key FROM memories WHERE tenant_id = ${tenantId})
        AND (memory_key, version) > (${memory}, ${since}) ORDER BY memory_key, version LIMIT ${limit}`;
  }

  /** The name within its tenant of the object that comes next. */
  async nextObject(kind: CopiedKind, tenantId: string, one: string, two: string): Promise<string[] | undefined> {
    const row = await first(this.db, pathRow)`${objectAfter(kind, tenantId, one, two)} LIMIT 1`;
    return row && [row.one, ...(row.two === undefined || row.two === null ? [] : [row.two])];
  }

  /** The caller's own id of a session, a run or a roundtable. */
  async externalId(tenantId: string, id: string): Promise<string | undefined> {
    const row = await first(
      this.db,
      idRow,
    )`SELECT external_id AS id FROM external_ids WHERE tenant_id = ${tenantId} AND id = ${id}`;
    return row?.id;
  }

  /** Whether somebody has stored it here, or deleted it: the audit has each. */
  async wasSet(tenantId: string, kind: "limits" | "webhooks" | "people", name: string): Promise<boolean> {
    const owner = `${kind}/${name}`;
    const row = await first(
      this.db,
      idRow,
    )`SELECT owner_id AS id FROM audit WHERE tenant_id = ${tenantId} AND owner_id = ${owner} LIMIT 1`;
    return row !== undefined;
  }

  /** The ids of what objects hold, the oldest first. */
  async ids(
    table: "sessions" | "runs" | "roundtables",
    tenantId: string,
    after: string,
    limit: number,
  ): Promise<string[]> {
    const column = raw({ sessions: "session_id", runs: "run_id", roundtables: "roundtable_id" }[table]);
    const which = table === "sessions" ? sql`stateless = 0` : sql`1`;
    const rows = await all(this.db, idRow)`SELECT ${column} AS id FROM ${raw(table)}
      WHERE tenant_id = ${tenantId} AND ${column} > ${after} AND ${which} ORDER BY ${column} LIMIT ${limit}`;
    return rows.map(({ id }) => id);
  }
}

function objectAfter(kind: CopiedKind, tenantId: string, one: string, two: string): Sql {
  const by = (column: string): Sql => {
    const id = raw(column);
    return sql`SELECT ${id} AS one FROM ${raw(`${kind}s`)} WHERE tenant_id = ${tenantId} AND ${id} > ${one} ORDER BY ${id}`;
  };
  switch (kind) {
    case "session":
      return by("session_id");
    case "run":
      return by("run_id");
    case "roundtable":
      return by("roundtable_id");
    case "dataset":
      return by("name");
    case "thread":
      return sql`SELECT m.memory_id AS one, t.thread_id AS two FROM memories m JOIN memory_threads t ON t.memory_key = m.key
        WHERE m.tenant_id = ${tenantId} AND (m.memory_id, t.thread_id) > (${one}, ${two}) ORDER BY m.memory_id, t.thread_id`;
    case "conversation":
      return sql`SELECT channel_id AS one, conversation AS two FROM channel_conversations
        WHERE tenant_id = ${tenantId} AND (channel_id, conversation) > (${one}, ${two}) ORDER BY channel_id, conversation`;
  }
}

const ofMemory = sql`(SELECT memory_id FROM memories m WHERE m.key = memory_key) AS memory_id`;
