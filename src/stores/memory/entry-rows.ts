/** Entries between their row in D1 and what they mean; the terms of the index are made here. */
import { z } from "zod";
import { type ActorRecord, actorRecordSchema } from "../../conversation/actor-record.js";
import { type Entry, summarySources, type Tags, tagsSchema } from "../../memory/entry.js";
import { defaultSessionKey } from "../../memory/retrieval/candidate.js";
import { scopedTerm } from "../../memory/retrieval/candidate-plan.js";
import { distinctTerms, type EntryTerms, entryTerms, spokenText } from "../../memory/retrieval/entry-terms.js";
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

export const entryColumns =
  "key, entry_id, thread_id, seq, role, speaker, raw_entry, summary, summary_source, tags, occurred_at, recorded_at, expires_at, supersedes, superseded_by, superseded_at, idempotency_key, request_hash, deleted_at, vouched_by";

export const entryRow = z.object({
  key: z.int(),
  entry_id: z.string(),
  thread_id: z.string(),
  seq: z.int(),
  role: z.string(),
  speaker: z.string().nullable(),
  raw_entry: z.string(),
  summary: z.string(),
  summary_source: z.enum(summarySources),
  tags: z.string(),
  occurred_at: z.string(),
  recorded_at: z.string(),
  expires_at: z.string().nullable(),
  supersedes: z.string().nullable(),
  superseded_by: z.string().nullable(),
  superseded_at: z.string().nullable(),
  idempotency_key: z.string().nullable(),
  request_hash: z.string().nullable(),
  deleted_at: z.string().nullable(),
  vouched_by: z.string().nullable(),
});
export type EntryRow = z.infer<typeof entryRow>;

export function showEntry(memoryId: string, row: EntryRow): Entry {
  return {
    entryId: row.entry_id,
    memoryId,
    ...(row.thread_id === "" ? {} : { threadId: row.thread_id, seq: row.seq }),
    role: row.role,
    ...(row.speaker === null ? {} : { speaker: row.speaker }),
    rawEntry: row.raw_entry,
    summary: row.summary,
    summarySource: row.summary_source,
    tags: tagsSchema.parse(JSON.parse(row.tags)),
    occurredAt: row.occurred_at,
    recordedAt: row.recorded_at,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.supersedes === null ? {} : { supersedes: row.supersedes }),
    ...(row.superseded_by === null ? {} : { supersededBy: row.superseded_by }),
    ...(row.superseded_at === null ? {} : { supersededAt: row.superseded_at }),
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
    ...(speaker === undefined ? {} : { speaker }),
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
