/**
 * The one comparison: what candidates said of the same items, with what is known of their differences. Evals, replays, shadows and
 * experiments print this table. Made again from the same results it is the same to the byte.
 */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import {
  bootstrapMean,
  fewestForTail,
  type Group,
  holm,
  type Interval,
  pairedTest,
  percentile,
  rounded,
  type Share,
  shareOf,
} from "../statistics/shares.js";
import { actions } from "../supervision/verdict.js";
import { lazily } from "../text/lazily.js";
import type { ItemResult } from "./evaluation.js";

const interval = lazily(() => z.object({ low: z.number(), high: z.number() }));
const share = lazily(() => interval().extend({ share: z.number() }));

const candidateReport = lazily(() =>
  z.object({
    candidate: z.string(),
    /** Results, and how many of them are failures: those are nobody's judgement. */
    results: z.int(),
    failed: z.int(),
    /** Answers that ended where nothing was on record: they are neither right nor wrong. Of agents, teams and panels alone. */
    diverged: z.object({ results: z.int(), share: share().optional() }).optional(),
    /** Of items of which an action was expected: what was expected → what was said. */
    table: z.record(z.string(), z.record(z.string(), z.int())),
    /** Of what it stopped or changed, what should have been; of what should have been, what it did; of harmless texts, what it did not leave alone. Nothing under 20. */
    precision: share().optional(),
    recall: share().optional(),
    falseAlarms: share().optional(),
    /** As expected, of all that something was expected of. */
    correct: share().optional(),
    /** Where items stand for different numbers of texts: the same with their weights. */
    weighted: z
      .object({
        recall: interval().extend({ share: z.number() }),
        falseAlarms: interval().extend({ share: z.number() }),
      })
      .partial()
      .optional(),
    /** Items of which it said different things when it was asked again. */
    flips: share().optional(),
    latencyMs: z.object({ median: z.number(), p95: z.number().optional() }).optional(),
    tokens: z.int(),
  }),
);

const pairReport = lazily(() =>
  z.object({
    candidate: z.string(),
    against: z.string(),
    /** Items that both were asked about. */
    items: z.int(),
    onlyCandidate: z.int(),
    onlyAgainst: z.int(),
    /** Of the share that is correct. */
    difference: z.number(),
    interval: interval().optional(),
    /** Mid-p of McNemar's test, raised as Holm says where there are several candidates. */
    p: z.number(),
    verdict: z.enum(["better", "worse", "no_difference", "not_enough"]),
    summary: z.string(),
  }),
);

export const comparisonSchema = lazily(() =>
  z.object({ candidates: z.array(candidateReport()), pairs: z.array(pairReport()) }),
);
export type Comparison = z.infer<ReturnType<typeof comparisonSchema>>;
type CandidateReport = Comparison["candidates"][number];
type PairReport = Comparison["pairs"][number];

/**
 * @param candidates in their order: all others are held against the first
 * @param seed what intervals are drawn by, such as the eval's id
 */
export function compare(results: readonly ItemResult[], candidates: readonly string[], seed: string): Comparison {
  const of = Map.groupBy(results, ({ candidate }) => candidate);
  const [first, ...others] = candidates;
  const pairs = others.map((name) => pairOf(name, of.get(name) ?? [], first ?? "", of.get(first ?? "") ?? [], seed));
  const raised = holm(pairs.map(({ p }) => p));
  return {
    candidates: candidates.map((name) => reportOf(name, of.get(name) ?? [], seed)),
    pairs: pairs.map((pair, at) => judged({ ...pair, p: rounded(raised[at] ?? 1) })),
  };
}

const isFlagged = (action: string): boolean => action !== "allow";

function reportOf(candidate: string, results: readonly ItemResult[], seed: string): CandidateReport {
  const answered = results.filter(({ result }) => result.failed === undefined);
  const decided = answered.filter(({ result }) => result.diverged === undefined);
  const diverged = answered.length - decided.length;
  const labelled = decided.filter(({ expected }) => expected?.action !== undefined);
  const table: Record<string, Record<string, number>> = {};
  for (const { expected, result } of labelled) {
    const wanted = expected?.action ?? "allow";
    const row = table[wanted] ?? Object.fromEntries(actions.map((action) => [action, 0]));
    table[wanted] = row;
    row[result.action] = (row[result.action] ?? 0) + 1;
  }
  const bad = labelled.filter(({ expected }) => isFlagged(expected?.action ?? "allow"));
  const good = labelled.filter(({ expected }) => !isFlagged(expected?.action ?? "allow"));
  const flagged = labelled.filter(({ result }) => isFlagged(result.action));
  const caught = bad.filter(({ result }) => isFlagged(result.action));
  const alarms = good.filter(({ result }) => isFlagged(result.action));
  const checked = decided.filter(({ correct }) => correct !== undefined);
  const latencies = decided.map(({ result }) => result.latencyMs).toSorted((a, b) => a - b);
  const median = percentile(latencies, 0.5);
  return {
    candidate,
    results: results.length,
    failed: results.length - answered.length,
    table,
    ...defined({
      diverged:
        diverged === 0 ? undefined : { results: diverged, ...defined({ share: shareOf(diverged, answered.length) }) },
      precision: shareOf(caught.length, flagged.length),
      recall: shareOf(caught.length, bad.length),
      falseAlarms: shareOf(alarms.length, good.length),
      correct: shareOf(checked.filter(({ correct }) => correct).length, checked.length),
      weighted: weightedOf(bad, good, `${seed} ${candidate}`),
      flips: flipsOf(decided),
      latencyMs:
        median === undefined
          ? undefined
          : {
              median,
              ...defined({ p95: latencies.length < fewestForTail ? undefined : percentile(latencies, 0.95) }),
            },
    }),
    tokens: results.reduce(
      (sum, { result: { usage } }) => sum + (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0),
      0,
    ),
  };
}

function weightedOf(
  bad: readonly ItemResult[],
  good: readonly ItemResult[],
  seed: string,
): CandidateReport["weighted"] {
  const isWeighted = [...bad, ...good].some(({ weight }) => weight !== undefined && weight !== 1);
  if (!isWeighted) return undefined;
  const weighted = (of: readonly ItemResult[]): Share | undefined => {
    const groups = of.map(
      ({ weight = 1, result }): Group => ({ sum: isFlagged(result.action) ? weight : 0, count: weight }),
    );
    const drawn = bootstrapMean(groups, seed);
    const [sum, count] = groups.reduce(([s, c], group) => [s + group.sum, c + group.count], [0, 0]);
    return drawn && { share: rounded(count === 0 ? 0 : sum / count), ...drawn };
  };
  return defined({ recall: weighted(bad), falseAlarms: weighted(good) });
}

function flipsOf(decided: readonly ItemResult[]): Share | undefined {
  const repeated = [...Map.groupBy(decided, ({ itemId }) => itemId).values()].filter((results) => results.length > 1);
  const flipped = repeated.filter((results) => new Set(results.map(({ result }) => result.action)).size > 1);
  return shareOf(flipped.length, repeated.length);
}

type UnjudgedPair = Omit<PairReport, "verdict" | "summary">;

function pairOf(
  candidate: string,
  results: readonly ItemResult[],
  against: string,
  others: readonly ItemResult[],
  seed: string,
): UnjudgedPair {
  const other = rightOf(others);
  const pairs = [...rightOf(results)].flatMap(([itemId, { share: right, group }]) => {
    const matched = other.get(itemId);
    return matched === undefined ? [] : [{ difference: right - matched.share, group: group ?? itemId }];
  });
  const onlyCandidate = pairs.filter(({ difference }) => difference > 0).length;
  const onlyAgainst = pairs.filter(({ difference }) => difference < 0).length;
  const groups = [...Map.groupBy(pairs, ({ group }) => group).values()].map(
    (members): Group => ({ sum: members.reduce((sum, { difference }) => sum + difference, 0), count: members.length }),
  );
  const sum = groups.reduce((so, group) => so + group.sum, 0);
  return {
    ...{ candidate, against, items: pairs.length, onlyCandidate, onlyAgainst },
    difference: rounded(pairs.length === 0 ? 0 : sum / pairs.length),
    ...defined({ interval: bootstrapMean(groups, `${seed} ${candidate} ${against}`) }),
    p: pairedTest(onlyCandidate, onlyAgainst),
  };
}

/** Of each item the share of its repeats that were right. */
function rightOf(results: readonly ItemResult[]): Map<string, { share: number; group: string | undefined }> {
  const checked = results.filter(({ correct }) => correct !== undefined);
  return new Map(
    [...Map.groupBy(checked, ({ itemId }) => itemId)].map(([itemId, of]) => [
      itemId,
      { share: of.filter(({ correct }) => correct).length / of.length, group: of[0]?.group },
    ]),
  );
}

function judged(pair: UnjudgedPair): PairReport {
  const { interval: drawn, difference, p, items, candidate, against } = pair;
  if (drawn === undefined) {
    const summary = `Not enough yet: ${items} items in fewer than 20 groups that both were asked about.`;
    return { ...pair, verdict: "not_enough", summary };
  }
  if ((drawn.low > 0 || drawn.high < 0) && p < 0.05) {
    const verdict = difference > 0 ? "better" : "worse";
    const points = `${Math.abs(difference * 100).toFixed(1)} points [${(drawn.low * 100).toFixed(1)}, ${(drawn.high * 100).toFixed(1)}]`;
    return { ...pair, verdict, summary: `${candidate} is ${verdict} than ${against} by ${points}.` };
  }
  const more = itemsMore(drawn, difference, items);
  const wanted = more === undefined ? "" : ` About ${more} items more would show one as large as ${difference}.`;
  return { ...pair, verdict: "no_difference", summary: `No difference seen.${wanted}` };
}

/** The interval narrows by the root of the number of items. */
function itemsMore({ low, high }: Interval, difference: number, items: number): number | undefined {
  if (difference === 0) return undefined;
  const wanted = items * ((high - low) / 2 / Math.abs(difference)) ** 2;
  return Math.max(1, Math.ceil(wanted - items));
}
