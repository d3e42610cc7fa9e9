/**
 * Which entries are looked at. Ranking a whole memory would cost time in proportion to it; so a handful of probes into
 * the full-text index, each with a limit, bring the candidates, the rare words of the query leading. A memory that
 * fits the limits is looked at completely.
 */
import type { DayRange } from "./calendar.js";
import type { MemoryStatistics } from "./candidate.js";
import { rangesOf } from "./dates.js";
import { speakerMark } from "./entry-terms.js";
import { type ParsedQuery, queryDateMarks, queryTopicMarks, weighTerms } from "./query.js";

/** One look into the index: the newest `limit` entries that match. */
export interface Probe {
  /** Any of these; each one a list of terms or marks that must all be there. */
  readonly anyOf: readonly (readonly string[])[];
  readonly limit: number;
}

/** Entries that happened in a range of days: up to `limit` of them, the latest first. */
export interface DateProbe {
  readonly range: DayRange;
  readonly limit: number;
}

/** All that a search looks up. */
export interface CandidatePlan {
  /** The rarest words first: when there are too many candidates, those of later probes are cut. */
  readonly probes: readonly Probe[];
  readonly dateProbes: readonly DateProbe[];
  /** Entries to look at anyway, such as the nearest ones of a vector index. */
  readonly entryIds: readonly string[];
  /** Candidates kept in all. */
  readonly maxCandidates: number;
}

/** Limits of candidate retrieval; they bound the cost of a search whatever the size of the memory. */
export interface PlanLimits {
  /** Candidates in all. */
  readonly maxCandidates: number;
  /** Entries that a date in the query brings. */
  readonly maxDated: number;
  /** Postings that a probe for words occurring together may have to read. */
  readonly maxPostings: number;
  /** Words that take part in a probe for words occurring together. */
  readonly maxFrequentTerms: number;
}

export const defaultPlanLimits: PlanLimits = {
  maxCandidates: 150,
  maxDated: 60,
  maxPostings: 30_000,
  maxFrequentTerms: 4,
};

/** Share of the candidates that rare words may bring; the rest is for frequent words that occur together. */
const rareShare = 2 / 3;

function byFrequency(a: { frequency: number }, b: { frequency: number }): number {
  return a.frequency - b.frequency;
}

/** All ways to take `size` of the terms, in the order of the terms. */
function combinations(terms: readonly string[], size: number): string[][] {
  if (size === 0) return [[]];
  return terms.flatMap((term, index) =>
    combinations(terms.slice(index + 1), size - 1).map((others) => [term, ...others]),
  );
}

/** A term or mark by which entries are looked up, and how many entries have it. */
interface TermFrequency {
  readonly term: string;
  readonly frequency: number;
}

/** The frequent terms that may occur together within the budget of postings, the rarest first; two at least. */
function termsWithinBudget(terms: readonly TermFrequency[], limits: PlanLimits): string[] {
  const chosen: string[] = [];
  let postings = 0;
  for (const { term, frequency } of terms) {
    postings += frequency;
    if (chosen.length >= limits.maxFrequentTerms || (chosen.length >= 2 && postings > limits.maxPostings)) break;
    chosen.push(term);
  }
  return chosen;
}

/** Probes for terms that are too frequent to take all their entries: three together, two together, then the newest. */
function frequentProbes(terms: readonly TermFrequency[], room: number, limits: PlanLimits): Probe[] {
  const together = termsWithinBudget([...terms].sort(byFrequency), limits);
  const probes: Probe[] = [];
  for (const size of [3, 2]) {
    if (together.length >= size) probes.push({ anyOf: combinations(together, size), limit: room });
  }
  if (together.length > 0) {
    const limit = probes.length === 0 ? room : Math.ceil(room / 3);
    probes.push({ anyOf: together.slice(0, 2).map((term) => [term]), limit });
  }
  return probes;
}

function dateProbes(query: ParsedQuery, statistics: MemoryStatistics, limits: PlanLimits): DateProbe[] {
  const ranges = query.dates
    // a year is no help in finding entries: ranking still honours it
    .filter(({ precision }) => precision === "day" || precision === "week" || precision === "month")
    .flatMap((mention) => rangesOf(mention, statistics.span))
    .slice(0, 3);
  return ranges.map((range) => ({ range, limit: Math.ceil(limits.maxDated / ranges.length) }));
}

/**
 * Decides which terms drive the search.
 *
 * Rare words come first: all entries of each, as long as they fit. Words that are too frequent for that drive only
 * together with one another, or with the speaker who is named; last, their newest entries. A name alone brings what
 * that speaker said last.
 */
export function planCandidates(
  query: ParsedQuery,
  statistics: MemoryStatistics,
  limits: PlanLimits = defaultPlanLimits,
  entryIds: readonly string[] = [],
): CandidatePlan {
  const known = weighTerms(query, statistics, 1).filter(({ frequency, isSpeaker }) => frequency > 0 || isSpeaker);
  const counted = (term: string): TermFrequency => ({ term, frequency: statistics.frequencies.get(term) ?? 0 });
  const terms = known.filter((term) => !term.isSpeaker);
  const ofQuery = terms.map(({ term }) => counted(term));
  const words: TermFrequency[] = [
    ...ofQuery,
    ...terms.flatMap(({ forms }) => forms),
    ...queryTopicMarks(query).map(counted),
  ]
    .filter(({ frequency }) => frequency > 0)
    .sort(byFrequency);
  const speakers = known.filter((term) => term.isSpeaker).map(({ term }) => speakerMark(term));
  const marks = queryDateMarks(query).filter((mark) => (statistics.frequencies.get(mark) ?? 0) > 0);

  const rare: string[] = [...marks];
  const frequent: TermFrequency[] = [];
  let rareEntries = 0;
  for (const term of words) {
    if (rareEntries + term.frequency <= limits.maxCandidates * rareShare) {
      rare.push(term.term);
      rareEntries += term.frequency;
    } else {
      frequent.push(term);
    }
  }
  const probes: Probe[] = [];
  if (rare.length > 0) probes.push({ anyOf: rare.map((term) => [term]), limit: limits.maxCandidates });
  if (frequent.length > 0)
    probes.push(...frequentProbes([...frequent, ...speakers.map(counted)], limits.maxCandidates - rareEntries, limits));
  else if (rare.length === 0 && speakers.length > 0) {
    probes.push({ anyOf: speakers.map((term) => [term]), limit: limits.maxCandidates });
  }
  return { probes, dateProbes: dateProbes(query, statistics, limits), entryIds, maxCandidates: limits.maxCandidates };
}

/**
 * A probe as an FTS5 query. In the index every term carries the memory's key ("12:book"), so that the lists that are
 * read belong to this memory alone, and what other memories hold neither costs nor counts.
 * @param required marks that every match must have: filters by role or tag.
 */
export function matchExpression(probe: Probe, memoryKey: string, required: readonly string[] = []): string {
  const quoted = (term: string): string => `"${scopedTerm(memoryKey, term).replace(/"/g, '""')}"`;
  const anyOf = probe.anyOf.map((terms) => `(${terms.map(quoted).join(" AND ")})`).join(" OR ");
  return [`(${anyOf})`, ...required.map(quoted)].join(" AND ");
}

/** A term as it stands in the full-text index: with the key of its memory. */
export function scopedTerm(memoryKey: string, term: string): string {
  return `${memoryKey}:${term}`;
}
