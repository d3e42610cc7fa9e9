/** The statements that write an entry, and that leave nothing of it. */
import type { Entry } from "../../memory/entry.js";
import { type Sql, sql } from "../../platform/sql.js";
import { type EntryRecord, indexedColumns } from "./entry-rows.js";
import { type MemoryRef, textsOverwritten } from "./memory-store.js";
import { vectorErasure } from "./vectors.js";

/** What is stored beside an entry, or limits when it is. */
export interface Extra {
  readonly seq?: number;
  /** Deletions in the memory that were known of; after others it isn't written. */
  readonly erasures?: number;
  readonly expiresAt?: string | undefined;
  /** When it was written down, of one that is copied; ISO. */
  readonly recordedAt?: string | undefined;
  readonly supersedes?: string | undefined;
  /** What it corrects, the nearest first: it is found by their words, too. */
  readonly corrected?: readonly Entry[];
  readonly idempotencyKey?: string | undefined;
  readonly requestHash?: string | undefined;
}

/** Adds an entry, unless its place or its key is taken, or what it corrects was corrected already. @param now ISO */
export function insertion(now: string, memory: MemoryRef, entry: EntryRecord, extra: Extra): Sql {
  const { erasures } = extra;
  const { sessionKey, speaker, terms, lengths, indexTerms } = indexedColumns(memory, entry, extra.corrected);
  const next = sql`(SELECT COALESCE(MAX(seq), 0) + 1 FROM entries
    WHERE memory_key = ${memory.key} AND thread_id = ${entry.threadId})`;
  const stands = sql`EXISTS (SELECT 1 FROM entries WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key}
    AND entry_id = ${extra.supersedes} AND superseded_by IS NULL AND deleted_at IS NULL)`;
  return sql`
    INSERT INTO entries (tenant_id, entry_id, memory_key, thread_id, seq, session_key, role, speaker, raw_entry, summary,
      summary_source, tags, occurred_at, recorded_at, expires_at, supersedes, idempotency_key, request_hash, raw_terms,
      summary_terms, tag_terms, mark_terms, raw_length, summary_length, tag_length, index_terms, vouched_by)
    SELECT ${memory.tenantId}, ${entry.entryId}, ${memory.key}, ${entry.threadId}, COALESCE(${extra.seq}, ${next}),
      ${sessionKey}, ${entry.role}, ${speaker}, ${entry.rawEntry}, ${entry.summary}, ${entry.summarySource},
      ${JSON.stringify(entry.tags)}, ${entry.occurredAt}, ${extra.recordedAt ?? now}, ${extra.expiresAt}, ${extra.supersedes},
      ${extra.idempotencyKey}, ${extra.requestHash}, ${terms.raw}, ${terms.summary}, ${terms.tags}, ${terms.marks},
      ${lengths.raw}, ${lengths.summary}, ${lengths.tags}, ${indexTerms}, ${entry.vouchedBy && JSON.stringify(entry.vouchedBy)}
    WHERE (${erasures} IS NULL OR (SELECT erasures FROM memories WHERE key = ${memory.key}) = ${erasures})
      AND (${extra.supersedes} IS NULL OR ${stands})
    ON CONFLICT DO NOTHING`;
}

/**
 * Statements that leave nothing of an entry but its place. The text is overwritten before it is dropped, so that the pages
 * that held it don't go on holding it.
 */
export function erasure(now: string, memory: MemoryRef, entryId: string): Sql[] {
  const which = sql`WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key} AND entry_id = ${entryId}`;
  return [
    ...vectorErasure(memory, entryId),
    sql`UPDATE entries SET ${textsOverwritten} ${which}`,
    sql`UPDATE entries
      SET raw_entry = '', summary = '', tags = '{}', speaker = NULL, raw_terms = '', summary_terms = '', tag_terms = '',
        mark_terms = '', raw_length = 0, summary_length = 0, tag_length = 0, index_terms = '', request_hash = NULL,
        vouched_by = NULL, aside = NULL, deleted_at = COALESCE(deleted_at, ${now}) ${which}`,
    // What it corrected doesn't hold again because of that; but nothing points to what is gone.
    sql`UPDATE entries SET supersedes = NULL
      WHERE tenant_id = ${memory.tenantId} AND memory_key = ${memory.key} AND supersedes = ${entryId}`,
  ];
}

/** Takes an entry out of every index and list; its row keeps its text. */
export function settingAside(now: string, memory: MemoryRef, entryId: string, restoreId: string): Sql[] {
  const ofMemory = sql`tenant_id = ${memory.tenantId} AND memory_key = ${memory.key}`;
  return [
    ...vectorErasure(memory, entryId),
    sql`UPDATE entries SET deleted_at = ${now}, aside = ${restoreId}, index_terms = '', raw_length = 0, summary_length = 0,
        tag_length = 0 WHERE ${ofMemory} AND entry_id = ${entryId} AND deleted_at IS NULL`,
    sql`UPDATE entries SET supersedes = NULL WHERE ${ofMemory} AND supersedes = ${entryId}`,
  ];
}
