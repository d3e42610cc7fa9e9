/** What of a tenant D1 holds, row by row in the order of its keys, as it is copied elsewhere: nothing that is secret. */
import { z } from "zod";
import { shownSecret } from "../conversation/secret-text.js";
import type { Entry } from "../memory/entry.js";
import type { Sealer } from "../platform/secrets.js";
import { all, type Database, raw, sql } from "../platform/sql.js";
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

const versionRow = z.object({ kind: z.enum(resourceKinds), name: z.string(), version: z.int(), body: z.string() });
const entryOfMemory = entryRow.extend({ memory_key: z.int(), memory_id: z.string() });
const contextRow = z.object({
  ...{ memory_key: z.int(), memory_id: z.string(), version: z.int(), document: z.string(), author: z.string() },
});
const idRow = z.object({ id: z.string() });

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

  /** By the time at which they were said, so that what is corrected comes before what corrects it. */
  async entries(tenantId: string, after: CopyKey, limit: number): Promise<[CopyKey, Entry][]> {
    const [memory = 0, occurredAt = "", entryId = ""] = after;
    const rows = await all(this.db, entryOfMemory)`SELECT memory_key, ${ofMemory}, ${entryColumns} FROM entries
      WHERE memory_key IN (SELECT key FROM memories WHERE tenant_id = ${tenantId}) AND deleted_at IS NULL
        AND (memory_key, occurred_at, entry_id) > (${memory}, ${occurredAt}, ${entryId})
      ORDER BY memory_key, occurred_at, entry_id LIMIT ${limit}`;
    return rows.map((row) => [[row.memory_key, row.occurred_at, row.entry_id], showEntry(row.memory_id, row)]);
  }

  async contexts(tenantId: string, after: CopyKey, limit: number) {
    const [memory = 0, since = 0] = after;
    const rows = await all(this.db, contextRow)`SELECT memory_key, ${ofMemory}, version, document, author FROM contexts
      WHERE memory_key IN (SELECT key FROM memories WHERE tenant_id = ${tenantId})
        AND (memory_key, version) > (${memory}, ${since}) ORDER BY memory_key, version LIMIT ${limit}`;
    return rows.map(({ memory_key, memory_id: memoryId, version, document, author }) => {
      const key: CopyKey = [memory_key, version];
      return [key, { memoryId, version, document, author }] as const;
    });
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

const ofMemory = sql`(SELECT memory_id FROM memories m WHERE m.key = memory_key) AS memory_id`;
