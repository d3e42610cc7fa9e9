/**
 * Entries whose messages came after the minute to which their thread was put back: as good as deleted for whoever reads, with their text
 * kept in their row, until that is undone or nothing can undo it any more.
 */
import { z } from "zod";
import { all, batch, type Database, listed, run, sql } from "../../platform/sql.js";
import { entryColumns, entryRow, indexedColumns, showEntry } from "./entry-rows.js";
import type { EntryStore } from "./entry-store.js";
import type { MemoryRef } from "./memory-store.js";
import type { EntryVectors } from "./vectors.js";

/** Entries that are looked up at once. */
const entriesAtOnce = 100;

const idRow = z.object({ entry_id: z.string() });

/** Messages behind the first number, up to the second one. */
interface Between {
  readonly after: number;
  readonly to: number;
}

export class SetAside {
  constructor(
    private readonly db: Database,
    private readonly entries: Pick<EntryStore, "rewrite">,
    private readonly vectors: Pick<EntryVectors, "markPending">,
  ) {}

  /** Entries of a part of a thread that aren't its any more, with those that this restore began to set aside. @param living those that are */
  async strays(
    { tenantId, key }: MemoryRef,
    threadId: string,
    { after, to }: Between,
    living: readonly string[],
    restoreId: string,
  ): Promise<string[]> {
    const begun = sql`aside = ${restoreId}
      AND EXISTS (SELECT 1 FROM context_sources s WHERE s.memory_key = e.memory_key AND s.entry_id = e.entry_id)`;
    const rows = await all(this.db, idRow)`SELECT entry_id FROM entries e
      WHERE tenant_id = ${tenantId} AND memory_key = ${key} AND thread_id = ${threadId} AND seq > ${after} AND seq <= ${to}
        AND entry_id NOT IN ${listed(living)} AND (deleted_at IS NULL OR ${begun}) ORDER BY seq LIMIT ${entriesAtOnce}`;
    return rows.map((row) => row.entry_id);
  }

  /** Has entries hold again; those that no context knows of yet are told by {@link returned}. */
  async bringBack(memory: MemoryRef, threadId: string, entryIds: readonly string[]): Promise<void> {
    const ofMemory = sql`tenant_id = ${memory.tenantId} AND memory_key = ${memory.key}`;
    const rows = await all(this.db, entryRow)`SELECT ${entryColumns} FROM entries WHERE ${ofMemory}
      AND thread_id = ${threadId} AND deleted_at IS NOT NULL AND aside IS NOT NULL AND entry_id IN ${listed(entryIds)}`;
    for (const row of rows) {
      const entry = { ...showEntry(memory.memoryId, row), threadId };
      const { terms, lengths, indexTerms } = indexedColumns(memory, entry);
      const correction = row.superseded_by;
      await batch(this.db, [
        sql`UPDATE entries SET deleted_at = NULL, raw_terms = ${terms.raw}, summary_terms = ${terms.summary},
            tag_terms = ${terms.tags}, mark_terms = ${terms.marks}, raw_length = ${lengths.raw},
            summary_length = ${lengths.summary}, tag_length = ${lengths.tags}, index_terms = ${indexTerms}
          WHERE ${ofMemory} AND entry_id = ${row.entry_id} AND aside IS NOT NULL AND deleted_at IS NOT NULL`,
        sql`UPDATE entries SET supersedes = ${row.entry_id}
          WHERE ${ofMemory} AND entry_id = ${correction} AND supersedes IS NULL AND deleted_at IS NULL`,
        ...(await this.vectors.markPending(memory, row.entry_id)),
      ]);
      // It is found by the words of what it corrects.
      if (correction !== null) await this.entries.rewrite(memory, correction, () => ({}));
    }
  }

  /** Entries of a thread that hold again and that no context has taken in since. */
  async returned({ tenantId, key }: MemoryRef, threadId: string): Promise<string[]> {
    const rows = await all(this.db, idRow)`SELECT entry_id FROM entries WHERE tenant_id = ${tenantId}
      AND memory_key = ${key} AND thread_id = ${threadId} AND deleted_at IS NULL AND aside IS NOT NULL ORDER BY seq`;
    return rows.map((row) => row.entry_id);
  }

  /** They are entries like any other. */
  async settle({ tenantId, key }: MemoryRef, entryIds: readonly string[]): Promise<void> {
    await run(this.db)`UPDATE entries SET aside = NULL WHERE tenant_id = ${tenantId} AND memory_key = ${key}
      AND deleted_at IS NULL AND entry_id IN ${listed(entryIds)}`;
  }
}
