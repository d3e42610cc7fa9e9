/** How entries are read from D1: by id, place, key, time, and by what contexts cover. */
import { z } from "zod";
import type { Entry } from "../../memory/entry.js";
import type { EarlierEntry } from "../../memory/prompts.js";
import { all, type Database, first, listed, type Sql, sql } from "../../platform/sql.js";
import { maxCorrections } from "./corrected-terms.js";
import { type EntryFilter, endOfTime, holdsAt } from "./entry-filter.js";
import { type EntryRow, entryColumns, entryRow, showEntry } from "./entry-rows.js";
import type { MemoryRef } from "./memory-store.js";

export interface EntryPlace {
  readonly occurredAt: string;
  readonly entryId: string;
}

const lastRow = z.object({ last: z.int() });
const beforeRow = entryRow.extend({ away: z.int(), taken_id: z.string() });

function ofMemory({ tenantId, key }: MemoryRef): Sql {
  return sql`e.tenant_id = ${tenantId} AND e.memory_key = ${key}`;
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
    const [row] = await this.rows(sql`${ofMemory(memory)} AND e.entry_id = ${entryId}`);
    return row;
  }

  /** By (time, id), so that no page loses or repeats an entry, whatever has the same time. */
  async list(memory: MemoryRef, filter: EntryFilter, after: EntryPlace | undefined, limit: number): Promise<Entry[]> {
    const { role, after: from, before: to, threadId, tag, asOf } = filter;
    const [tagName, ...tagValue] = (tag ?? "").split("=");
    const value = tagValue.length === 0 ? undefined : tagValue.join("=");
    const ofTag = sql`EXISTS (SELECT 1 FROM json_each(e.tags) AS tag WHERE tag.key = ${tagName} AND (${value} IS NULL
        OR CASE tag.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(tag.value AS TEXT) END = ${value}))`;
    return this.show(
      memory,
      sql`${ofMemory(memory)} AND (e.occurred_at, e.entry_id) > (${after?.occurredAt ?? ""}, ${after?.entryId ?? ""})
          AND ${holdsAt(asOf ?? this.present(), asOf ?? endOfTime)} AND (${role} IS NULL OR e.role = ${role})
          AND (${from} IS NULL OR e.occurred_at >= ${from}) AND (${to} IS NULL OR e.occurred_at < ${to})
          AND (${threadId} IS NULL OR e.thread_id = ${threadId}) ${tag === undefined ? sql`` : sql`AND ${ofTag}`}
        ORDER BY e.occurred_at, e.entry_id LIMIT ${limit}`,
    );
  }

  /** These entries, in their order; those that are gone are left out. */
  async byIds(memory: MemoryRef, entryIds: readonly string[]): Promise<Entry[]> {
    // "+", so that SQLite looks the ids up and doesn't go through the memory.
    const entries = await this.show(
      memory,
      sql`e.tenant_id = ${memory.tenantId} AND +e.memory_key = ${memory.key} AND e.deleted_at IS NULL
          AND e.entry_id IN ${listed(entryIds)}`,
    );
    const found = new Map(entries.map((entry) => [entry.entryId, entry]));
    return entryIds.flatMap((entryId) => found.get(entryId) ?? []);
  }

  /** The entries of a range of a thread, and how many of its places are taken, by deleted ones too. */
  async ofThread(
    memory: MemoryRef,
    threadId: string,
    fromSeq: number,
    toSeq: number,
  ): Promise<{ entries: Entry[]; places: number }> {
    const rows = await this.rows(
      sql`${ofMemory(memory)} AND e.thread_id = ${threadId} AND e.seq BETWEEN ${fromSeq} AND ${toSeq} ORDER BY e.seq`,
    );
    const entries = rows.filter((row) => row.deleted_at === null).map((row) => showEntry(memory.memoryId, row));
    return { entries, places: rows.length };
  }

  /** Entries without a conversation after a place of theirs, in their order. */
  async directAfter(memory: MemoryRef, seq: number, limit: number): Promise<Entry[]> {
    return this.show(
      memory,
      sql`${ofMemory(memory)} AND e.thread_id = '' AND e.seq > ${seq} AND e.deleted_at IS NULL ORDER BY e.seq
        LIMIT ${limit}`,
    );
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
    const kept = sql`${ofMemory(memory)} AND e.idempotency_key = ${idempotencyKey} AND e.deleted_at IS NULL`;
    return (await this.show(memory, kept))[0];
  }

  /** The newest that hold now and aren't covered, newest first. */
  async uncovered(memory: MemoryRef, coverage: Readonly<Record<string, number>>, limit: number): Promise<Entry[]> {
    const holds = holdsAt(this.present(), endOfTime);
    // Thread by thread, so that what is covered isn't read.
    const covered = sql`SELECT covered.value FROM json_each(${JSON.stringify(coverage)}) AS covered
      WHERE covered.key = t.thread_id`;
    const keys = sql`SELECT n.key FROM memory_threads t CROSS JOIN entries n
      ON n.memory_key = t.memory_key AND n.thread_id = t.thread_id AND n.seq > COALESCE((${covered}), 0)
      WHERE t.tenant_id = ${memory.tenantId} AND t.memory_key = ${memory.key}`;
    return this.show(
      memory,
      sql`e.key IN (${keys}) AND e.tenant_id = ${memory.tenantId} AND ${holds} ORDER BY e.key DESC LIMIT ${limit}`,
    );
  }

  /** The highest number among those of these entries that belong to no conversation; 0 without any. */
  async lastDirect(memory: MemoryRef, entryIds: readonly string[]): Promise<number> {
    const row = await first(this.db, lastRow)`SELECT COALESCE(MAX(seq), 0) AS last FROM entries
      WHERE tenant_id = ${memory.tenantId} AND +memory_key = ${memory.key} AND thread_id = ''
        AND entry_id IN ${listed(entryIds)}`;
    return row?.last ?? 0;
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
    const taken = JSON.stringify(entryIds);
    // CROSS, so that SQLite goes from the ids to their places and on to what stands before these.
    const near = sql`SELECT n.key AS near_key, MIN(t.seq - n.seq) AS away, t.entry_id AS taken_id
      FROM json_each(${taken}) AS taken CROSS JOIN entries t ON t.entry_id = taken.value
      CROSS JOIN entries n ON n.memory_key = t.memory_key AND n.thread_id = t.thread_id
        AND n.seq BETWEEN t.seq - ${reach} AND t.seq - 1
      WHERE t.tenant_id = ${memory.tenantId} AND +t.memory_key = ${memory.key} AND n.entry_id NOT IN ${listed(entryIds)}
        AND EXISTS (SELECT 1 FROM context_sources s WHERE s.memory_key = n.memory_key AND s.entry_id = n.entry_id)
      GROUP BY n.key ORDER BY away, n.key DESC LIMIT ${limit}`;
    const rows = await all(this.db, beforeRow)`SELECT e.*, near.away, near.taken_id
      FROM (${near}) AS near CROSS JOIN entries e ON e.key = near.near_key
      WHERE ${holdsAt(this.present(), endOfTime)} ORDER BY e.key`;
    return rows.map(({ away, taken_id, ...row }) => ({
      entry: showEntry(memory.memoryId, row),
      before: away === 1 ? taken_id : undefined,
    }));
  }

  private rows(which: Sql): Promise<EntryRow[]> {
    return all(this.db, entryRow)`SELECT ${entryColumns} FROM entries e WHERE ${which}`;
  }

  private async show(memory: MemoryRef, which: Sql): Promise<Entry[]> {
    return (await this.rows(which)).map((row) => showEntry(memory.memoryId, row));
  }

  present(): string {
    return new Date(this.now()).toISOString();
  }
}
