/** Entries that a context took in and holds no longer, since an item that rested on them went with a deleted one. */
import { z } from "zod";
import { type Forgotten, isForgetful, takenIn } from "../../memory/context-items.js";
import type { Database } from "../database.js";
import type { MemoryRef } from "./memory-store.js";

/** Entries of the memory ?1 that hold still and were forgotten: bindings 2 to 4 of {@link forgottenBindings}. */
const isForgotten = `e.memory_key = ?1 AND e.deleted_at IS NULL AND (e.entry_id IN (SELECT value FROM json_each(?2))
  OR (e.key > ?4 AND EXISTS (SELECT 1 FROM context_sources s WHERE s.memory_key = e.memory_key AND s.entry_id = e.entry_id AND s.version <= ?3)))`;
const forgottenBindings = ({ entries, upTo = 0, after = 0 }: Forgotten) =>
  [JSON.stringify(entries), upTo, after] as const;

export class ContextForgetting {
  constructor(private readonly db: Database) {}

  /** The first entry of each thread that was forgotten. */
  async firstForgotten({ key }: MemoryRef, forgotten: Forgotten): Promise<ReadonlyMap<string, number>> {
    if (!isForgetful(forgotten)) return new Map();
    const { results } = await this.db
      .prepare(`SELECT e.thread_id, MIN(e.seq) AS first FROM entries e WHERE ${isForgotten} GROUP BY e.thread_id`)
      .bind(key, ...forgottenBindings(forgotten))
      .all();
    const rows = z.array(z.object({ thread_id: z.string(), first: z.int() })).parse(results);
    return new Map(rows.map((row) => [row.thread_id, row.first]));
  }

  /** Some of the entries that were forgotten, in the order in which they were written, and what is left once they are taken in. */
  async nextForgotten(
    { key }: MemoryRef,
    forgotten: Forgotten,
    limit: number,
  ): Promise<{ readonly entryIds: string[]; readonly left: Forgotten }> {
    const { results } = await this.db
      .prepare(`SELECT e.entry_id, e.key FROM entries e WHERE ${isForgotten} ORDER BY e.key LIMIT ?5`)
      .bind(key, ...forgottenBindings(forgotten), limit)
      .all();
    const rows = z.array(z.object({ entry_id: z.string(), key: z.int() })).parse(results);
    const entryIds = rows.map((row) => row.entry_id);
    const last = rows.at(-1)?.key;
    if (rows.length < limit || last === undefined) return { entryIds, left: { entries: [] } };
    return { entryIds, left: { ...takenIn(forgotten, entryIds), after: Math.max(last, forgotten.after ?? 0) } };
  }

  /** Memories whose current version has forgotten something that is there still, for the housekeeping. */
  async forgetfulMemories(limit: number): Promise<{ tenantId: string; memoryId: string }[]> {
    const { results } = await this.db
      .prepare(
        `SELECT m.tenant_id, m.memory_id FROM contexts c JOIN memories m ON m.key = c.memory_key
         WHERE c.forgotten <> '{"entries":[]}' AND NOT EXISTS
           (SELECT 1 FROM contexts n WHERE n.memory_key = c.memory_key AND n.version > c.version) LIMIT ?`,
      )
      .bind(limit)
      .all();
    return z
      .array(z.object({ tenant_id: z.string(), memory_id: z.string() }))
      .parse(results)
      .map((row) => ({ tenantId: row.tenant_id, memoryId: row.memory_id }));
  }

  /** What a version has forgotten isn't there any more. */
  async nothingForgotten({ tenantId, key }: MemoryRef, version: number): Promise<void> {
    await this.db
      .prepare("UPDATE contexts SET forgotten = ? WHERE tenant_id = ? AND memory_key = ? AND version = ?")
      .bind(JSON.stringify({ entries: [] }), tenantId, key, version)
      .run();
  }
}
