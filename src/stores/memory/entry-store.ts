/** Entries in D1. The index and the statistics follow by triggers, in the very write that changes an entry. */
import { z } from "zod";
import type { Entry, Tags } from "../../memory/entry.js";
import type { Database } from "../database.js";
import { type EntryFilter, endOfTime, holdsAt } from "./entry-filter.js";
import { type EntryRecord, type EntryRow, entryColumns, entryRow, indexedColumns, showEntry } from "./entry-rows.js";
import { type Extra, insertion } from "./entry-statements.js";
import type { MemoryRef } from "./memory-store.js";
import type { EntryVectors } from "./vectors.js";

export interface EntryPlace {
  readonly occurredAt: string;
  readonly entryId: string;
}

export type AddOutcome =
  | { readonly kind: "added"; readonly entry: Entry; readonly seq: number }
  /** It was there: the same message or key, delivered again. */
  | { readonly kind: "exists"; readonly entry: Entry; readonly seq: number; readonly sameRequest: boolean }
  /** It was there and has been deleted since: it isn't written again. */
  | { readonly kind: "deleted" };

export class EntryStore {
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
    private readonly vectors: Pick<EntryVectors, "markPending">,
  ) {}

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
    await this.db.batch([
      insertion(this.db, this.present(), memory, entry, { ...extra, supersedes: oldId }),
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

  async get(memory: MemoryRef, entryId: string): Promise<Entry | undefined> {
    const row = await this.row(memory, entryId);
    return row === undefined || row.deleted_at !== null ? undefined : showEntry(memory.memoryId, row);
  }

  /** The row whatever its state: deletion needs to see what it has begun. */
  async row(memory: MemoryRef, entryId: string): Promise<EntryRow | undefined> {
    const row = await this.db
      .prepare(`SELECT ${entryColumns} FROM entries WHERE tenant_id = ? AND memory_key = ? AND entry_id = ?`)
      .bind(memory.tenantId, memory.key, entryId)
      .first();
    return row === null ? undefined : entryRow.parse(row);
  }

  /** By (time, id), so that no page loses or repeats an entry, whatever has the same time. */
  async list(memory: MemoryRef, filter: EntryFilter, after: EntryPlace | undefined, limit: number): Promise<Entry[]> {
    const [tagName, ...tagValue] = (filter.tag ?? "").split("=");
    const { results } = await this.db
      .prepare(
        `SELECT ${entryColumns} FROM entries WHERE tenant_id = ?1 AND memory_key = ?2
           AND (occurred_at, entry_id) > (?3, ?4) AND ${holdsAt("?5", "?13")}
           AND (?6 IS NULL OR role = ?6) AND (?7 IS NULL OR occurred_at >= ?7) AND (?8 IS NULL OR occurred_at < ?8)
           AND (?9 IS NULL OR thread_id = ?9)
           AND (?10 IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) AS tag WHERE tag.key = ?10
             AND (?11 IS NULL OR CASE tag.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(tag.value AS TEXT) END = ?11)))
         ORDER BY occurred_at, entry_id LIMIT ?12`,
      )
      .bind(
        memory.tenantId,
        memory.key,
        after?.occurredAt ?? "",
        after?.entryId ?? "",
        filter.asOf ?? this.present(),
        filter.role ?? null,
        filter.after ?? null,
        filter.before ?? null,
        filter.threadId ?? null,
        filter.tag === undefined ? null : (tagName ?? ""),
        tagValue.length === 0 ? null : tagValue.join("="),
        limit,
        filter.asOf ?? endOfTime,
      )
      .all();
    return results.map((row) => showEntry(memory.memoryId, entryRow.parse(row)));
  }

  /** These entries, in their order; those that are gone are left out. */
  async byIds(memory: MemoryRef, entryIds: readonly string[]): Promise<Entry[]> {
    const { results } = await this.db
      .prepare(
        // "+", so that SQLite looks the ids up and doesn't go through the memory.
        `SELECT ${entryColumns} FROM entries WHERE tenant_id = ?1 AND +memory_key = ?2 AND deleted_at IS NULL
           AND entry_id IN (SELECT value FROM json_each(?3))`,
      )
      .bind(memory.tenantId, memory.key, JSON.stringify(entryIds))
      .all();
    const found = new Map(
      results.map((row) => entryRow.parse(row)).map((row) => [row.entry_id, showEntry(memory.memoryId, row)]),
    );
    return entryIds.flatMap((entryId) => found.get(entryId) ?? []);
  }

  /** The entries of a stretch of a thread, and how many of its places are taken, by deleted ones too. */
  async ofThread(
    memory: MemoryRef,
    threadId: string,
    fromSeq: number,
    toSeq: number,
  ): Promise<{ entries: Entry[]; places: number }> {
    const { results } = await this.db
      .prepare(
        `SELECT ${entryColumns} FROM entries WHERE tenant_id = ? AND memory_key = ? AND thread_id = ? AND seq BETWEEN ? AND ? ORDER BY seq`,
      )
      .bind(memory.tenantId, memory.key, threadId, fromSeq, toSeq)
      .all();
    const rows = results.map((row) => entryRow.parse(row));
    const entries = rows.filter((row) => row.deleted_at === null).map((row) => showEntry(memory.memoryId, row));
    return { entries, places: rows.length };
  }

  /** Entries without a conversation after a place of theirs, in their order. */
  async directAfter(memory: MemoryRef, seq: number, limit: number): Promise<Entry[]> {
    const { results } = await this.db
      .prepare(
        `SELECT ${entryColumns} FROM entries WHERE tenant_id = ? AND memory_key = ? AND thread_id = '' AND seq > ?
           AND deleted_at IS NULL ORDER BY seq LIMIT ?`,
      )
      .bind(memory.tenantId, memory.key, seq, limit)
      .all();
    return results.map((row) => showEntry(memory.memoryId, entryRow.parse(row)));
  }

  async byKey(memory: MemoryRef, idempotencyKey: string): Promise<Entry | undefined> {
    const row = await this.db
      .prepare(
        `SELECT ${entryColumns} FROM entries WHERE tenant_id = ? AND memory_key = ? AND idempotency_key = ? AND deleted_at IS NULL`,
      )
      .bind(memory.tenantId, memory.key, idempotencyKey)
      .first();
    return row === null ? undefined : showEntry(memory.memoryId, entryRow.parse(row));
  }

  /** The newest that hold now and aren't covered, newest first. */
  async uncovered(memory: MemoryRef, coverage: Readonly<Record<string, number>>, limit: number): Promise<Entry[]> {
    const { results } = await this.db
      .prepare(
        // Thread by thread, so that what is covered isn't read.
        `SELECT ${entryColumns} FROM entries WHERE key IN (
           SELECT e.key FROM memory_threads t CROSS JOIN entries e ON e.memory_key = t.memory_key AND e.thread_id = t.thread_id
             AND e.seq > COALESCE((SELECT covered.value FROM json_each(?5) AS covered WHERE covered.key = t.thread_id), 0)
           WHERE t.tenant_id = ?1 AND t.memory_key = ?2)
         AND tenant_id = ?1 AND ${holdsAt("?3", "?4")} ORDER BY key DESC LIMIT ?6`,
      )
      .bind(memory.tenantId, memory.key, this.present(), endOfTime, JSON.stringify(coverage), limit)
      .all();
    return results.map((row) => showEntry(memory.memoryId, entryRow.parse(row)));
  }

  /** The highest number among those of these entries that belong to no conversation; 0 without any. */
  async lastDirect(memory: MemoryRef, entryIds: readonly string[]): Promise<number> {
    const row = await this.db
      .prepare(
        `SELECT COALESCE(MAX(seq), 0) AS last FROM entries WHERE tenant_id = ? AND +memory_key = ? AND thread_id = ''
           AND entry_id IN (SELECT value FROM json_each(?))`,
      )
      .bind(memory.tenantId, memory.key, JSON.stringify(entryIds))
      .first();
    return z.object({ last: z.int() }).parse(row).last;
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
      if (row?.summary === before.summary && row.tags === before.tags) return false;
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
    const { terms, lengths, indexTerms } = indexedColumns(memory, next);
    const { meta } = await this.db
      .prepare(
        `UPDATE entries SET summary = ?1, summary_source = ?2, tags = ?3, summary_terms = ?4, tag_terms = ?5, mark_terms = ?6,
           summary_length = ?7, tag_length = ?8, index_terms = ?9
         WHERE tenant_id = ?10 AND memory_key = ?11 AND entry_id = ?12 AND deleted_at IS NULL
           AND summary = ?14 AND tags = ?15 AND (?13 IS NULL OR (SELECT erasures FROM memories WHERE key = ?11) = ?13)`,
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
      )
      .run();
    return meta.changes > 0;
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

  present(): string {
    return new Date(this.now()).toISOString();
  }
}
