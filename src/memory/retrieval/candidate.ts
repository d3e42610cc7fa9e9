/** The data that ranking works on: candidates, and the statistics of the one memory that is searched. */
import type { DayRange } from "./calendar.js";
import type { EntryTerms } from "./entry-terms.js";

/** An entry that may be a hit, as it comes from the store. */
export interface Candidate {
  readonly entryId: string;
  readonly threadId: string;
  /** Place in its thread; neighbours differ by 1. */
  readonly seq: number;
  /** Sittings of a thread: entries with the same key belong together. See `defaultSessionKey`. */
  readonly sessionKey: string;
  readonly speaker?: string | undefined;
  readonly role?: string | undefined;
  /** ISO 8601. */
  readonly occurredAt: string;
  readonly terms: EntryTerms;
  /** Terms of its raw text; of a neighbour that comes shortened, those of all of it. */
  readonly length: number;
}

/** The text fields of an entry, each with its own length statistics. */
export type Field = "raw" | "summary" | "tags";
export const textFields: readonly Field[] = ["raw", "summary", "tags"];

/** Counts over all entries of the memory that is searched, and of no other. */
export interface MemoryStatistics {
  readonly entryCount: number;
  /** Mean number of terms of a field over the entries in which the field isn't empty; 0 if there are none. */
  readonly averageLength: Readonly<Record<Field, number>>;
  /** Number of entries that contain a term or mark; one that isn't in the map is in no entry. */
  readonly frequencies: ReadonlyMap<string, number>;
  /** Days of the earliest and the latest entry (`occurredAt`). */
  readonly span: DayRange;
}

/** A session key for stores that know no sittings: the thread, and the day in UTC. */
export function defaultSessionKey(threadId: string, occurredAt: string): string {
  return `${threadId} ${occurredAt.slice(0, 10)}`;
}

/** Where a candidate stands, as a key: thread and place in it. */
export function placeKey(threadId: string, seq: number): string {
  return `${threadId} ${seq}`;
}
