/** How entries are read from D1: by id, place, key, time, and by what contexts cover. */
import { z } from "zod";
import type { Entry } from "../../memory/entry.js";
import type { EarlierEntry } from "../../memory/prompts.js";
import type { Database } from "../database.js";
import { maxCorrections } from "./corrected-terms.js";
import { type EntryFilter, endOfTime, holdsAt } from "./entry-filter.js";
import { type EntryRow, entryColumns, entryRow, showEntry } from "./entry-rows.js";
import type { MemoryRef } from "./memory-store.js";

export interface EntryPlace {
  readonly occurredAt: string;
  readonly entryId: string;
}

export class EntryReads {
  constructor(
    protected readonly db: Database,
    private readonly now: () => number,
  ) {}

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

  /** An entry that is corrected with what that corrects in turn, as far as they are there. */
  async corrected(memory: MemoryRef, entryId: string): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let next: string | undefined = entryId; next !== undefined && entries.length < maxCorrections; ) {
      const entry: Entry | undefined = await this.get(memory, next);
      if (entry !== undefined) entries.push(entry);
      next = entry?.supersedes;
    }
    return entries;
  }

  /** What corrects an entry, and what corrects that in turn. */
  async corrections(memory: MemoryRef, entryId: string): Promise<string[]> {
    const entryIds: string[] = [];
    for (let row = await this.row(memory, entryId); row !== undefined && row.superseded_by !== null; ) {
      if (entryIds.length >= maxCorrections) break;
      entryIds.push(row.superseded_by);
      row = await this.row(memory, row.superseded_by);
    }
    return entryIds;
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
   * What stands just before these entries in their threads, as far as contexts took it in and it holds; oldest first. The nearest ones,
   * of all of them together at most `limit`.
   */
  async coveredBefore(
    memory: MemoryRef,
    entryIds: readonly string[],
    reach: number,
    limit: number,
  ): Promise<{ entry: Entry; before: EarlierEntry["before"] }[]> {
    const { results } = await this.db
      .prepare(
        // CROSS, so that SQLite goes from the ids to their places and on to what stands before these.
        `SELECT entries.*, near.away, near.taken_id FROM (
           SELECT e.key AS near_key, MIN(t.seq - e.seq) AS away, t.entry_id AS taken_id
           FROM json_each(?3) AS taken CROSS JOIN entries t ON t.entry_id = taken.value
             CROSS JOIN entries e ON e.memory_key = t.memory_key AND e.thread_id = t.thread_id AND e.seq BETWEEN t.seq - ?4 AND t.seq - 1
           WHERE t.tenant_id = ?1 AND +t.memory_key = ?2 AND e.entry_id NOT IN (SELECT value FROM json_each(?3))
             AND EXISTS (SELECT 1 FROM context_sources s WHERE s.memory_key = e.memory_key AND s.entry_id = e.entry_id)
           GROUP BY e.key ORDER BY away, e.key DESC LIMIT ?5) AS near CROSS JOIN entries ON entries.key = near.near_key
         WHERE ${holdsAt("?6", "?7")} ORDER BY entries.key`,
      )
      .bind(memory.tenantId, memory.key, JSON.stringify(entryIds), reach, limit, this.present(), endOfTime)
      .all();
    return results.map((row) => {
      const { away, taken_id } = z.object({ away: z.int(), taken_id: z.string() }).parse(row);
      return { entry: showEntry(memory.memoryId, entryRow.parse(row)), before: away === 1 ? taken_id : undefined };
    });
  }

  present(): string {
    return new Date(this.now()).toISOString();
  }
}
