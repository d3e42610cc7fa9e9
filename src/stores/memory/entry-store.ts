/** Entries in D1. The index and the statistics follow by triggers, in the very write that changes an entry. */
import { z } from "zod";
import type { Entry, Tags } from "../../memory/entry.js";
import type { Database } from "../database.js";
import { EntryReads } from "./entry-reads.js";
import { type EntryRecord, type EntryRow, entryColumns, entryRow, indexedColumns, showEntry } from "./entry-rows.js";
import { type Extra, insertion } from "./entry-statements.js";
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
    const [written] = await this.db.batch([
      insertion(this.db, this.present(), memory, entry, extra),
      ...(await this.vectors.markPending(memory, entry.entryId)),
    ]);
    if ((written?.meta.changes ?? 0) > 0) {
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
    const extra = { seq, ...(erasures === undefined ? {} : { erasures }) };
    const [written] = await this.db.batch([
      insertion(this.db, this.present(), memory, entry, extra),
      ...(await this.vectors.markPending(memory, entry.entryId)),
    ]);
    return (written?.meta.changes ?? 0) > 0 || erasures === undefined || (await this.erasures(memory)) === erasures;
  }

  private async erasures({ key }: MemoryRef): Promise<number> {
    const row = await this.db.prepare("SELECT erasures FROM memories WHERE key = ?").bind(key).first();
    return z.object({ erasures: z.int() }).parse(row).erasures;
  }

  /** Writes the new entry and closes the old one, both or neither. */
  async correct(memory: MemoryRef, oldId: string, entry: EntryRecord, extra: Extra): Promise<AddOutcome> {
    const corrected = await this.corrected(memory, oldId);
    await this.db.batch([
      insertion(this.db, this.present(), memory, entry, { ...extra, supersedes: oldId, corrected }),
      this.db
        .prepare(
          `UPDATE entries SET superseded_by = ?3, superseded_at = ?4
           WHERE tenant_id = ?1 AND memory_key = ?2 AND entry_id = ?5 AND superseded_by IS NULL
             AND EXISTS (SELECT 1 FROM entries WHERE tenant_id = ?1 AND entry_id = ?3)`,
        )
        .bind(memory.tenantId, memory.key, entry.entryId, entry.occurredAt, oldId),
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
    const { meta } = await this.db
      .prepare(
        `UPDATE entries SET summary = ?1, summary_source = ?2, tags = ?3, summary_terms = ?4, tag_terms = ?5, mark_terms = ?6,
           summary_length = ?7, tag_length = ?8, index_terms = ?9
         WHERE tenant_id = ?10 AND memory_key = ?11 AND entry_id = ?12 AND deleted_at IS NULL
           AND summary = ?14 AND tags = ?15 AND supersedes IS ?16 AND (?13 IS NULL OR (SELECT erasures FROM memories WHERE key = ?11) = ?13)`,
      )
      .bind(
        next.summary,
        next.summarySource,
        JSON.stringify(next.tags),
        terms.summary,
        terms.tags,
        terms.marks,
        lengths.summary,
        lengths.tags,
        indexTerms,
        memory.tenantId,
        memory.key,
        row.entry_id,
        erasures ?? null,
        row.summary,
        row.tags,
        row.supersedes,
      )
      .run();
    return meta.changes > 0;
  }

  /** What corrects an entry that is to go is found by its words no longer; before it goes, since its own words have to be found. */
  async detachCorrections(memory: MemoryRef, entryId: string): Promise<string[]> {
    await this.db
      .prepare("UPDATE entries SET supersedes = NULL WHERE tenant_id = ? AND memory_key = ? AND supersedes = ?")
      .bind(memory.tenantId, memory.key, entryId)
      .run();
    const corrections = await this.corrections(memory, entryId);
    for (const correction of corrections) await this.rewrite(memory, correction, () => ({}));
    return corrections;
  }

  tags(memory: MemoryRef, entryId: string, tags: Tags): Promise<boolean> {
    return this.rewrite(memory, entryId, () => ({ tags }));
  }

  private async there(memory: MemoryRef, entry: EntryRecord, extra: Extra): Promise<EntryRow | undefined> {
    const row = await this.db
      .prepare(
        // One look-up each: with OR, SQLite would go through the memory.
        `SELECT ${entryColumns} FROM entries WHERE tenant_id = ?1 AND key IN (
           SELECT key FROM entries WHERE memory_key = ?2 AND thread_id = ?3 AND seq = ?4
           UNION ALL SELECT key FROM entries WHERE memory_key = ?2 AND idempotency_key = ?5
           UNION ALL SELECT key FROM entries WHERE +memory_key = ?2 AND entry_id = ?6) LIMIT 1`,
      )
      .bind(memory.tenantId, memory.key, entry.threadId, extra.seq ?? null, extra.idempotencyKey ?? null, entry.entryId)
      .first();
    return row === null ? undefined : entryRow.parse(row);
  }
}
