/** Entries in D1. The index and the statistics follow by triggers, in the very write that changes an entry. */
import { z } from "zod";
import { defined } from "../../conversation/defined.js";
import type { Entry, Tags } from "../../memory/entry.js";
import { batch, type Database, first, hasChanged, run, sql } from "../../platform/sql.js";
import { EntryReads } from "./entry-reads.js";
import { type EntryRecord, type EntryRow, entryColumns, entryRow, indexedColumns, showEntry } from "./entry-rows.js";
import { type Extra, erasure, insertion } from "./entry-statements.js";
import type { MemoryRef } from "./memory-store.js";
import type { EntryVectors } from "./vectors.js";

export type AddOutcome =
  | { readonly kind: "added"; readonly entry: Entry; readonly seq: number }
  /** It was there: the same message or key, delivered again. */
  | { readonly kind: "exists"; readonly entry: Entry; readonly seq: number; readonly sameRequest: boolean }
  /** It was there and has been deleted since: it isn't written again. */
  | { readonly kind: "deleted" };

export class EntryStore extends EntryReads {
  constructor(
    db: Database,
    now: () => number,
    private readonly vectors: Pick<EntryVectors, "markPending">,
  ) {
    super(db, now);
  }

  /** Adds an entry once: by thread and number, or by idempotency key. Without a number it gets the next one. */
  async add(memory: MemoryRef, entry: EntryRecord, extra: Extra = {}): Promise<AddOutcome> {
    const [written] = await batch(this.db, [
      insertion(this.present(), memory, entry, extra),
      ...(await this.vectors.markPending(memory, entry.entryId)),
    ]);
    if (hasChanged(written)) {
      const added = await this.row(memory, entry.entryId);
      if (added !== undefined) return { kind: "added", entry: showEntry(memory.memoryId, added), seq: added.seq };
    }
    const there = await this.there(memory, entry, extra);
    if (there === undefined || there.deleted_at !== null) return { kind: "deleted" };
    const sameRequest = extra.requestHash === undefined || there.request_hash === extra.requestHash;
    return { kind: "exists", entry: showEntry(memory.memoryId, there), seq: there.seq, sameRequest };
  }

  /**
   * Writes the entry of a message, once; again, or after its deletion, it changes nothing.
   * @param erasures deletions in the memory when what was written began; false, and nothing is written, when there were others since
   */
  async put(memory: MemoryRef, entry: EntryRecord, seq: number, erasures?: number): Promise<boolean> {
    const extra = { seq, ...defined({ erasures }) };
    const [written] = await batch(this.db, [
      insertion(this.present(), memory, entry, extra),
      ...(await this.vectors.markPending(memory, entry.entryId)),
    ]);
    return hasChanged(written) || erasures === undefined || (await this.erasures(memory)) === erasures;
  }

  /** The place of an entry that was deleted, which nothing else gets. */
  async keepPlace(memory: MemoryRef, entry: EntryRecord, seq: number): Promise<boolean> {
    const [written] = await batch(this.db, [
      insertion(this.present(), memory, entry, { seq }),
      ...erasure(this.present(), memory, entry.entryId),
    ]);
    return hasChanged(written);
  }

  private async erasures({ key }: MemoryRef): Promise<number> {
    return (
      (await first(this.db, z.object({ erasures: z.int() }))`SELECT erasures FROM memories WHERE key = ${key}`)
        ?.erasures ?? 0
    );
  }

  /** Writes the new entry and closes the old one, both or neither. */
  async correct(memory: MemoryRef, oldId: string, entry: EntryRecord, extra: Extra): Promise<AddOutcome> {
    const corrected = await this.corrected(memory, oldId);
    await batch(this.db, [
      insertion(this.present(), memory, entry, { ...extra, supersedes: oldId, corrected }),
      sql`UPDATE entries SET superseded_by = ${entry.entryId}, superseded_at = ${entry.occurredAt}
        WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key} AND entry_id = ${oldId}
          AND superseded_by IS NULL
          AND EXISTS (SELECT 1 FROM entries WHERE tenant_id = ${memory.tenantId} AND entry_id = ${entry.entryId})`,
      ...(await this.vectors.markPending(memory, entry.entryId)),
    ]);
    const added = await this.row(memory, entry.entryId);
    if (added !== undefined) return { kind: "added", entry: showEntry(memory.memoryId, added), seq: added.seq };
    const there = await this.there(memory, entry, extra);
    if (there === undefined || there.deleted_at !== null) return { kind: "deleted" };
    return {
      kind: "exists",
      entry: showEntry(memory.memoryId, there),
      seq: there.seq,
      sameRequest: there.request_hash === extra.requestHash,
    };
  }

  /**
   * Replaces summary or tags; the index follows.
   * @param changeOf made of the entry as it is then: anew, where somebody else changed it at that moment
   * @param erasures deletions in the memory when the change began
   * @returns false, and nothing is changed, when there is no such entry, or others were deleted since
   */
  async rewrite(
    memory: MemoryRef,
    entryId: string,
    changeOf: (entry: Entry) => Partial<Pick<EntryRecord, "summary" | "summarySource" | "tags">>,
    erasures?: number,
  ): Promise<boolean> {
    let row = await this.row(memory, entryId);
    while (row !== undefined && row.deleted_at === null) {
      if (await this.rewriteIfUnchanged(memory, row, changeOf, erasures)) return true;
      const before = row;
      row = await this.row(memory, entryId);
      const isSame = row?.supersedes === before.supersedes && row.summary === before.summary;
      if (isSame && row?.tags === before.tags) return false;
    }
    return false;
  }

  private async rewriteIfUnchanged(
    memory: MemoryRef,
    row: EntryRow,
    changeOf: Parameters<EntryStore["rewrite"]>[2],
    erasures: number | undefined,
  ): Promise<boolean> {
    const entry = showEntry(memory.memoryId, row);
    const next = { ...entry, threadId: row.thread_id, ...changeOf(entry) };
    const corrected = row.supersedes === null ? [] : await this.corrected(memory, row.supersedes);
    const { terms, lengths, indexTerms } = indexedColumns(memory, next, corrected);
    const changes = await run(this.db)`UPDATE entries
      SET summary = ${next.summary}, summary_source = ${next.summarySource}, tags = ${JSON.stringify(next.tags)},
        summary_terms = ${terms.summary}, tag_terms = ${terms.tags}, mark_terms = ${terms.marks},
        summary_length = ${lengths.summary}, tag_length = ${lengths.tags}, index_terms = ${indexTerms}
      WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key} AND entry_id = ${row.entry_id}
        AND deleted_at IS NULL AND summary = ${row.summary} AND tags = ${row.tags} AND supersedes IS ${row.supersedes}
        AND (${erasures} IS NULL OR (SELECT erasures FROM memories WHERE key = ${memory.key}) = ${erasures})`;
    return changes > 0;
  }

  /** What corrects an entry that is to go is found by its words no longer; before it goes, since its own words have to be found. */
  async detachCorrections(memory: MemoryRef, entryId: string): Promise<string[]> {
    await run(this.db)`UPDATE entries SET supersedes = NULL
      WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key} AND supersedes = ${entryId}`;
    const corrections = await this.corrections(memory, entryId);
    for (const correction of corrections) await this.rewrite(memory, correction, () => ({}));
    return corrections;
  }

  tags(memory: MemoryRef, entryId: string, tags: Tags): Promise<boolean> {
    return this.rewrite(memory, entryId, () => ({ tags }));
  }

  private async there(memory: MemoryRef, entry: EntryRecord, extra: Extra): Promise<EntryRow | undefined> {
    // One look-up each: with OR, SQLite would go through the memory.
    return first(this.db, entryRow)`
      SELECT ${entryColumns} FROM entries WHERE tenant_id = ${memory.tenantId} AND key IN (
        SELECT key FROM entries WHERE memory_key = ${memory.key} AND thread_id = ${entry.threadId} AND seq = ${extra.seq}
        UNION ALL SELECT key FROM entries WHERE memory_key = ${memory.key} AND idempotency_key = ${extra.idempotencyKey}
        UNION ALL SELECT key FROM entries WHERE +memory_key = ${memory.key} AND entry_id = ${entry.entryId})
      LIMIT 1`;
  }
}
