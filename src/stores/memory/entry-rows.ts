/** Entries between their row in D1 and what they mean; the terms of the index are made here. */
import { z } from "zod";
import { type ActorRecord, actorRecordSchema } from "../../conversation/actor-record.js";
import { defined } from "../../conversation/defined.js";
import { type Entry, summarySources, type Tags, tagsSchema } from "../../memory/entry.js";
import { defaultSessionKey } from "../../memory/retrieval/candidate.js";
import { scopedTerm } from "../../memory/retrieval/candidate-plan.js";
import { distinctTerms, type EntryTerms, entryTerms, spokenText } from "../../memory/retrieval/entry-terms.js";
import { sql } from "../../platform/sql.js";
import { integer, text, textOrNull } from "../columns.js";
import { withCorrected } from "./corrected-terms.js";
import type { MemoryRef } from "./memory-store.js";

/** What is written of an entry, whoever wrote it. */
export interface EntryRecord {
  readonly entryId: string;
  readonly threadId: string;
  readonly role: string;
  readonly speaker?: string | undefined;
  readonly rawEntry: string;
  readonly summary: string;
  readonly summarySource: (typeof summarySources)[number];
  readonly tags: Tags;
  readonly occurredAt: string;
  readonly vouchedBy?: ActorRecord | undefined;
}

export const entryColumns = sql`
  key, entry_id, thread_id, seq, role, speaker, raw_entry, summary, summary_source, tags, occurred_at, recorded_at,
    expires_at, supersedes, superseded_by, superseded_at, idempotency_key, request_hash, deleted_at, vouched_by, aside`;

export const entryRow = z.object({
  key: integer,
  entry_id: text,
  thread_id: text,
  seq: integer,
  role: text,
  speaker: textOrNull,
  raw_entry: text,
  summary: text,
  summary_source: z.enum(summarySources),
  tags: text,
  occurred_at: text,
  recorded_at: text,
  expires_at: textOrNull,
  supersedes: textOrNull,
  superseded_by: textOrNull,
  superseded_at: textOrNull,
  idempotency_key: textOrNull,
  request_hash: textOrNull,
  deleted_at: textOrNull,
  vouched_by: textOrNull,
  /** The restore of its thread that set it aside. */
  aside: textOrNull,
});
export type EntryRow = z.infer<typeof entryRow>;

export function showEntry(memoryId: string, row: EntryRow): Entry {
  return {
    entryId: row.entry_id,
    memoryId,
    ...(row.thread_id === "" ? {} : { threadId: row.thread_id, seq: row.seq }),
    role: row.role,
    ...defined({ speaker: row.speaker ?? undefined }),
    rawEntry: row.raw_entry,
    summary: row.summary,
    summarySource: row.summary_source,
    tags: tagsSchema.parse(JSON.parse(row.tags)),
    occurredAt: row.occurred_at,
    recordedAt: row.recorded_at,
    ...defined({
      expiresAt: row.expires_at ?? undefined,
      supersedes: row.supersedes ?? undefined,
      supersededBy: row.superseded_by ?? undefined,
      supersededAt: row.superseded_at ?? undefined,
    }),
    ...(row.vouched_by === null ? {} : { vouchedBy: actorRecordSchema.parse(JSON.parse(row.vouched_by)) }),
  };
}

/** The columns that are computed from the others. */
export interface IndexedColumns {
  readonly sessionKey: string;
  readonly speaker: string | null;
  readonly terms: EntryTerms;
  readonly lengths: { readonly raw: number; readonly summary: number; readonly tags: number };
  readonly indexTerms: string;
}

/** @param corrected what the entry corrects, the nearest first */
export function indexedColumns(
  memory: MemoryRef,
  entry: Omit<EntryRecord, "entryId">,
  corrected: readonly Entry[] = [],
): IndexedColumns {
  const { role, rawEntry, tags, occurredAt, speaker } = entry;
  const text = {
    rawText: rawEntry,
    // An extract says nothing that the text doesn't: it would only count its words twice.
    summary: entry.summarySource === "extractive" ? "" : entry.summary,
    tags,
    role,
    occurredAt,
    ...defined({ speaker }),
  };
  const terms = withCorrected(entryTerms(text), corrected);
  const count = (field: string): number => (field === "" ? 0 : field.split(" ").length);
  return {
    sessionKey: defaultSessionKey(entry.threadId, occurredAt),
    speaker: spokenText(text).speaker ?? null,
    terms,
    lengths: { raw: count(terms.raw), summary: count(terms.summary), tags: count(terms.tags) },
    indexTerms: distinctTerms(terms)
      .map((term) => scopedTerm(String(memory.key), term))
      .join(" "),
  };
}
