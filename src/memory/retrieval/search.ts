/** A whole search over a store of entries: statistics, candidates, their surroundings, ranking. */
import type { Candidate, MemoryStatistics } from "./candidate.js";
import { type CandidatePlan, DEFAULT_PLAN_LIMITS, type PlanLimits, planCandidates } from "./candidate-plan.js";
import { frequencyLookups, type ParsedQuery, parseQuery } from "./query.js";
import { chooseSeeds, type Ranked, type RankOptions, rank } from "./ranking.js";
import { DEFAULT_WEIGHTS, neighbourReach } from "./weights.js";

/** What a search needs of the store of one memory; each call is one round trip. */
export interface CandidateSource {
  /** Statistics of the memory, with the document frequencies of these terms and marks. */
  statistics(lookups: readonly string[]): Promise<MemoryStatistics>;
  /** The entries that a plan finds, each once, at most `plan.maxCandidates`, with the filters of the search applied. */
  candidates(plan: CandidatePlan): Promise<readonly Candidate[]>;
  /**
   * The entries up to `reach` places before and after the seeds in their threads. Deleted and expired ones never;
   * others whether or not they pass the filters. May hold the seeds themselves.
   */
  neighbours(seeds: readonly Candidate[], reach: number): Promise<readonly Candidate[]>;
}

/** What may be set for a search. */
export interface SearchOptions extends RankOptions {
  limits?: PlanLimits;
  /** Candidates whose surroundings are fetched. */
  seeds?: number;
  /** ISO time that "yesterday" in the query counts from. */
  now?: string;
  /** Likenesses of entries that were found by their words; together with `similarities`, which bring candidates of their own. */
  likenessOf?: (entryIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

const DEFAULT_SEEDS = 40;

/** Searches one memory. The time it takes hangs on the limits, not on how many entries the memory has. */
export async function search(
  source: CandidateSource,
  query: string | ParsedQuery,
  options: SearchOptions = {},
): Promise<Ranked[]> {
  const parsed = typeof query === "string" ? parseQuery(query, options.now) : query;
  const statistics = await source.statistics(frequencyLookups(parsed));
  const limits = options.limits ?? DEFAULT_PLAN_LIMITS;
  const plan = planCandidates(parsed, statistics, limits, [...(options.similarities?.keys() ?? [])]);
  const found = await source.candidates(plan);
  const likeness = (await options.likenessOf?.(found.map(({ entryId }) => entryId))) ?? new Map<string, number>();
  const similarities = new Map([...likeness, ...(options.similarities ?? [])]);
  const seeds = chooseSeeds(parsed, found, statistics, options.seeds ?? DEFAULT_SEEDS, { ...options, similarities });
  const around = await source.neighbours(seeds, neighbourReach(options.weights ?? DEFAULT_WEIGHTS));
  const all = new Map([...found, ...around].map((candidate) => [candidate.entryId, candidate]));
  return rank(parsed, [...all.values()], statistics, { ...options, similarities });
}
