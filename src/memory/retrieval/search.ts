/** A whole search over a store of entries: statistics, candidates, their neighbours, ranking. */
import type { Candidate, MemoryStatistics } from "./candidate.js";
import { type CandidatePlan, defaultPlanLimits, type PlanLimits, planCandidates } from "./candidate-plan.js";
import { mayBeLine } from "./conversation-lines.js";
import { formBeginnings, frequencyLookups, type ParsedQuery, parseQuery } from "./query.js";
import { chooseSeeds, type Ranked, type RankOptions, rank } from "./ranking.js";
import { defaultWeights, neighbourReach } from "./weights.js";

/** What a search needs of the store of one memory; each call is one round trip. */
export interface CandidateSource {
  /** Statistics of the memory, with the document frequencies of these terms and marks, and of some terms that begin so. */
  statistics(lookups: readonly string[], beginnings?: readonly string[]): Promise<MemoryStatistics>;
  /** The entries that a plan finds, each once, at most `plan.maxCandidates`, with the filters of the search applied. */
  candidates(plan: CandidatePlan): Promise<readonly Candidate[]>;
  /**
   * The entries up to `reach` places before and after the seeds in their threads. Deleted and expired ones never;
   * others whether or not they pass the filters. May hold the seeds themselves, and of long texts the beginning alone.
   */
  neighbours(seeds: readonly Candidate[], reach: number): Promise<readonly Candidate[]>;
}

/** What may be set for a search. */
export interface SearchOptions extends RankOptions {
  readonly limits?: PlanLimits;
  /** Candidates whose neighbours are fetched. */
  readonly seeds?: number;
  /** ISO time that "yesterday" in the query counts from. */
  readonly now?: string;
  /** Likenesses of entries that were found by their words; together with `similarities`, which bring candidates of their own. */
  readonly likenessOf?: (entryIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

const defaultSeeds = 40;

/** Entries longer than so many terms are long: of these, fewer are looked at, so that a search doesn't cost more by their length. */
const longTerms = 60;
const leastScale = 0.5;

function scaleFor({ averageLength }: MemoryStatistics): number {
  return averageLength.raw <= longTerms ? 1 : Math.max(leastScale, Math.sqrt(longTerms / averageLength.raw));
}

/** Searches one memory. The time it takes hangs on the limits, not on how many entries the memory has. */
export async function search(
  source: CandidateSource,
  query: string | ParsedQuery,
  options: SearchOptions = {},
): Promise<Ranked[]> {
  const parsed = typeof query === "string" ? parseQuery(query, options.now) : query;
  const statistics = await source.statistics(frequencyLookups(parsed), formBeginnings(parsed));
  const scale = scaleFor(statistics);
  const given = options.limits ?? defaultPlanLimits;
  const limits = { ...given, maxCandidates: Math.ceil(given.maxCandidates * scale) };
  const plan = planCandidates(parsed, statistics, limits, [...(options.similarities?.keys() ?? [])]);
  const found = await source.candidates(plan);
  const likeness = (await options.likenessOf?.(found.map(({ entryId }) => entryId))) ?? new Map<string, number>();
  const similarities = new Map([...likeness, ...(options.similarities ?? [])]);
  const count = Math.ceil((options.seeds ?? defaultSeeds) * scale);
  const seeds = chooseSeeds(parsed, found, statistics, count, { ...options, similarities }).filter(mayBeLine);
  const around =
    seeds.length === 0 ? [] : await source.neighbours(seeds, neighbourReach(options.weights ?? defaultWeights));
  // What was found comes whole; of long neighbours a store may give the beginning alone.
  const all = new Map([...around, ...found].map((candidate) => [candidate.entryId, candidate]));
  return rank(parsed, [...all.values()], statistics, { ...options, similarities });
}
