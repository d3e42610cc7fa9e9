/** Entries that a context took in and holds no longer, since an item that rested on them went with a deleted one. */
import { z } from "zod";
import { type Forgotten, hasForgotten, takenIn } from "../../memory/context-items.js";
import { all, type Database, listed, run, type Sql, sql } from "../../platform/sql.js";
import type { MemoryRef } from "./memory-store.js";

/** Entries of a memory that hold still and were forgotten. */
function isForgotten(key: number, { entries, upTo = 0, after = 0 }: Forgotten): Sql {
  const tookIn = sql`EXISTS (SELECT 1 FROM context_sources s
    WHERE s.memory_key = e.memory_key AND s.entry_id = e.entry_id AND s.version <= ${upTo})`;
  return sql`e.memory_key = ${key} AND e.deleted_at IS NULL
    AND (e.entry_id IN ${listed(entries)} OR (e.key > ${after} AND ${tookIn}))`;
}

const firstRow = z.object({ thread_id: z.string(), first: z.int() });
const entryRow = z.object({ entry_id: z.string(), key: z.int() });
const memoryRow = z
  .object({ tenant_id: z.string(), memory_id: z.string() })
  .transform((row) => ({ tenantId: row.tenant_id, memoryId: row.memory_id }));

export class ContextForgetting {
  constructor(private readonly db: Database) {}

  /** The first entry of each thread that was forgotten. */
  async firstForgotten({ key }: MemoryRef, forgotten: Forgotten): Promise<ReadonlyMap<string, number>> {
    if (!hasForgotten(forgotten)) return new Map();
    const rows = await all(this.db, firstRow)`
      SELECT e.thread_id, MIN(e.seq) AS first FROM entries e WHERE ${isForgotten(key, forgotten)} GROUP BY e.thread_id`;
    return new Map(rows.map((row) => [row.thread_id, row.first]));
  }

  /** Some of the entries that were forgotten, in the order in which they were written, and what is left once they are taken in. */
  async nextForgotten(
    { key }: MemoryRef,
    forgotten: Forgotten,
    limit: number,
  ): Promise<{ readonly entryIds: string[]; readonly left: Forgotten }> {
    const rows = await all(this.db, entryRow)`
      SELECT e.entry_id, e.key FROM entries e WHERE ${isForgotten(key, forgotten)} ORDER BY e.key LIMIT ${limit}`;
    const entryIds = rows.map((row) => row.entry_id);
    const last = rows.at(-1)?.key;
    if (rows.length < limit || last === undefined) return { entryIds, left: { entries: [] } };
    return { entryIds, left: { ...takenIn(forgotten, entryIds), after: Math.max(last, forgotten.after ?? 0) } };
  }

  /** Memories whose current version has forgotten something that is there still, for the housekeeping. */
  async forgetfulMemories(limit: number): Promise<{ tenantId: string; memoryId: string }[]> {
    return all(this.db, memoryRow)`
      SELECT m.tenant_id, m.memory_id FROM contexts c JOIN memories m ON m.key = c.memory_key
      WHERE c.forgotten <> '{"entries":[]}'
        AND NOT EXISTS (SELECT 1 FROM contexts n WHERE n.memory_key = c.memory_key AND n.version > c.version)
      LIMIT ${limit}`;
  }

  /** What a version has forgotten isn't there any more. */
  async nothingForgotten({ tenantId, key }: MemoryRef, version: number): Promise<void> {
    await run(this.db)`UPDATE contexts SET forgotten = ${JSON.stringify({ entries: [] })}
      WHERE tenant_id = ${tenantId} AND memory_key = ${key} AND version = ${version}`;
  }
}
