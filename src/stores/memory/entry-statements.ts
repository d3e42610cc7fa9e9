/** The statements that write an entry, and that leave nothing of it. */
import type { Entry } from "../../memory/entry.js";
import type { Database } from "../database.js";
import { type EntryRecord, indexedColumns } from "./entry-rows.js";
import type { MemoryRef } from "./memory-store.js";
import { vectorErasure } from "./vectors.js";

/** What is stored beside an entry, or limits when it is. */
export interface Extra {
  readonly seq?: number;
  /** Deletions in the memory that were known of; after others it isn't written. */
  readonly erasures?: number;
  readonly expiresAt?: string | undefined;
  readonly supersedes?: string | undefined;
  /** What it corrects, the nearest first: it is found by their words, too. */
  readonly corrected?: readonly Entry[];
  readonly idempotencyKey?: string | undefined;
  readonly requestHash?: string | undefined;
}

/** Adds an entry, unless its place or its key is taken, or what it corrects was corrected already. @param now ISO */
export function insertion(
  db: Database,
  now: string,
  memory: MemoryRef,
  entry: EntryRecord,
  extra: Extra,
): D1PreparedStatement {
  const { erasures } = extra;
  const { sessionKey, speaker, terms, lengths, indexTerms } = indexedColumns(memory, entry, extra.corrected);
  return db
    .prepare(
      `INSERT INTO entries (tenant_id, entry_id, memory_key, thread_id, seq, session_key, role, speaker, raw_entry, summary,
         summary_source, tags, occurred_at, recorded_at, expires_at, supersedes, idempotency_key, request_hash, raw_terms,
         summary_terms, tag_terms, mark_terms, raw_length, summary_length, tag_length, index_terms, vouched_by)
       SELECT ?1, ?2, ?3, ?4, COALESCE(?5, (SELECT COALESCE(MAX(seq), 0) + 1 FROM entries WHERE memory_key = ?3 AND thread_id = ?4)),
         ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?28
       WHERE (?27 IS NULL OR (SELECT erasures FROM memories WHERE key = ?3) = ?27)
         AND (?16 IS NULL OR EXISTS (
           SELECT 1 FROM entries WHERE tenant_id = ?1 AND memory_key = ?3 AND entry_id = ?16 AND superseded_by IS NULL AND deleted_at IS NULL))
       ON CONFLICT DO NOTHING`,
    )
    .bind(
      memory.tenantId,
      entry.entryId,
      memory.key,
      entry.threadId,
      extra.seq ?? null,
      sessionKey,
      entry.role,
      speaker,
      entry.rawEntry,
      entry.summary,
      entry.summarySource,
      JSON.stringify(entry.tags),
      entry.occurredAt,
      now,
      extra.expiresAt ?? null,
      extra.supersedes ?? null,
      extra.idempotencyKey ?? null,
      extra.requestHash ?? null,
      terms.raw,
      terms.summary,
      terms.tags,
      terms.marks,
      lengths.raw,
      lengths.summary,
      lengths.tags,
      indexTerms,
      erasures ?? null,
      entry.vouchedBy === undefined ? null : JSON.stringify(entry.vouchedBy),
    );
}

/**
 * Statements that leave nothing of an entry but its place. The text is overwritten before it is dropped, so that the pages
 * that held it don't go on holding it; the index forgets it by the trigger.
 */
export function erasure(db: Database, now: string, memory: MemoryRef, entryId: string): D1PreparedStatement[] {
  const which = "WHERE tenant_id = ?1 AND memory_key = ?2 AND entry_id = ?3";
  return [
    ...vectorErasure(db, memory, entryId),
    db
      .prepare(
        `UPDATE entries SET raw_entry = printf('%.*c', length(CAST(raw_entry AS BLOB)), '#'),
           summary = printf('%.*c', length(CAST(summary AS BLOB)), '#'), raw_terms = printf('%.*c', length(raw_terms), '#') ${which}`,
      )
      .bind(memory.tenantId, memory.key, entryId),
    db
      .prepare(
        `UPDATE entries SET raw_entry = '', summary = '', tags = '{}', speaker = NULL, raw_terms = '', summary_terms = '',
           tag_terms = '', mark_terms = '', raw_length = 0, summary_length = 0, tag_length = 0, index_terms = '',
           request_hash = NULL, vouched_by = NULL, deleted_at = COALESCE(deleted_at, ?4) ${which}`,
      )
      .bind(memory.tenantId, memory.key, entryId, now),
    // What it corrected doesn't hold again because of that; but nothing points to what is gone.
    db
      .prepare("UPDATE entries SET supersedes = NULL WHERE tenant_id = ?1 AND memory_key = ?2 AND supersedes = ?3")
      .bind(memory.tenantId, memory.key, entryId),
  ];
}
