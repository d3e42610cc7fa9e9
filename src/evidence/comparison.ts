/**
 * The one comparison: what candidates said of the same items, with what is known of their differences. Evals, replays, shadows and
 * experiments print this table. Made again from the same results it is the same to the byte.
 */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import {
  bootstrapMean,
  fewestForTail,
  fewestGroups,
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
import { judgementOf, judgementSchema } from "./judgement.js";

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
    /** What is counted: `correct` results; `stopped` ones (whatever isn't allowed) where nobody has said what would be correct. */
    of: z.enum(["correct", "stopped"]),
    /** Of the share that is so. */
    difference: z.number(),
    interval: interval().optional(),
    /** Mid-p of McNemar's test, raised as Holm says where there are several candidates. */
    p: z.number(),
    /** What `against` said → what the candidate said, of what both have decided; and the share of the same. */
    actions: z.record(z.string(), z.record(z.string(), z.int())),
    agreement: share().optional(),
    /** What a judge made of their answers, where the eval has one. */
    judge: judgementSchema().optional(),
    verdict: z.enum(["better", "worse", "stops_more", "stops_less", "no_difference", "not_enough"]),
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

const isDecided = ({ result }: ItemResult): boolean => result.failed === undefined && result.diverged === undefined;
const isFlagged = (action: string): boolean => action !== "allow";

function reportOf(candidate: string, results: readonly ItemResult[], seed: string): CandidateReport {
  const answered = results.filter(({ result }) => result.failed === undefined);
  const decided = answered.filter(({ result }) => result.diverged === undefined);
  const diverged = answered.length - decided.length;
  const labelled = decided.filter(({ expected }) => expected?.action !== undefined);
  const table = tableOf(labelled.map(({ expected, result }) => [expected?.action ?? "allow", result.action]));
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

/** How often what came with what: a row for each first that there was, with all actions. */
function tableOf(pairs: readonly (readonly [string, string])[]): Record<string, Record<string, number>> {
  const rows = [...Map.groupBy(pairs, ([first]) => first)].map(([first, of]) => {
    const counts = actions.map((action) => [action, of.filter(([, second]) => second === action).length]);
    return [first, Object.fromEntries(counts)];
  });
  return Object.fromEntries(rows);
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

interface UnjudgedPair extends Omit<PairReport, "verdict" | "summary"> {
  readonly groups: number;
}

function pairOf(
  candidate: string,
  results: readonly ItemResult[],
  against: string,
  others: readonly ItemResult[],
  seed: string,
): UnjudgedPair {
  const isLabelled = [...results, ...others].some(({ correct }) => correct !== undefined);
  const measure = isLabelled
    ? ({ correct }: ItemResult) => correct
    : (one: ItemResult) => (isDecided(one) ? isFlagged(one.result.action) : undefined);
  const other = shareByItem(others, measure);
  const pairs = [...shareByItem(results, measure)].flatMap(([itemId, { share: own, group }]) => {
    const matched = other.get(itemId);
    return matched === undefined ? [] : [{ difference: own - matched.share, group: group ?? itemId }];
  });
  const onlyCandidate = pairs.filter(({ difference }) => difference > 0).length;
  const onlyAgainst = pairs.filter(({ difference }) => difference < 0).length;
  const groups = [...Map.groupBy(pairs, ({ group }) => group).values()].map(
    (members): Group => ({ sum: members.reduce((sum, { difference }) => sum + difference, 0), count: members.length }),
  );
  const sum = groups.reduce((so, group) => so + group.sum, 0);
  return {
    ...{ candidate, against, groups: groups.length, items: pairs.length, onlyCandidate, onlyAgainst },
    difference: rounded(pairs.length === 0 ? 0 : sum / pairs.length),
    ...defined({ interval: bootstrapMean(groups, `${seed} ${candidate} ${against}`) }),
    p: pairedTest(onlyCandidate, onlyAgainst),
    of: isLabelled ? "correct" : "stopped",
    ...agreementOf(results, others),
    ...defined({ judge: judgementOf(results, candidate, against) }),
  };
}

function agreementOf(
  results: readonly ItemResult[],
  others: readonly ItemResult[],
): Pick<PairReport, "actions" | "agreement"> {
  const keyOf = ({ itemId, repeat }: ItemResult): string => `${repeat} ${itemId}`;
  const said = new Map(others.filter(isDecided).map((one) => [keyOf(one), one.result.action]));
  const pairs = results.filter(isDecided).flatMap((one) => {
    const other = said.get(keyOf(one));
    return other === undefined ? [] : [[other, one.result.action] as const];
  });
  const same = pairs.filter(([other, own]) => other === own).length;
  return { actions: tableOf(pairs), ...defined({ agreement: shareOf(same, pairs.length) }) };
}

type Measure = (result: ItemResult) => boolean | undefined;

/** Of each item the share of its repeats of which it is true. */
function shareByItem(
  results: readonly ItemResult[],
  measure: Measure,
): Map<string, { share: number; group: string | undefined }> {
  const measured = results.filter((one) => measure(one) !== undefined);
  return new Map(
    [...Map.groupBy(measured, ({ itemId }) => itemId)].map(([itemId, of]) => [
      itemId,
      { share: of.filter(measure).length / of.length, group: of[0]?.group },
    ]),
  );
}

function judged({ groups, ...pair }: UnjudgedPair): PairReport {
  const { interval: drawn, difference, p, items, candidate, against, of } = pair;
  if (drawn === undefined) {
    const summary = `Not enough yet: ${items} items in ${groups} ${groups === 1 ? "group" : "groups"} that both were asked about. About ${fewestGroups - groups} groups more are needed.`;
    return { ...pair, verdict: "not_enough", summary };
  }
  if ((drawn.low > 0 || drawn.high < 0) && p < 0.05) {
    const points = `${Math.abs(difference * 100).toFixed(1)} points [${(drawn.low * 100).toFixed(1)}, ${(drawn.high * 100).toFixed(1)}]`;
    if (of === "stopped") {
      const verdict = difference > 0 ? "stops_more" : "stops_less";
      const summary = `${candidate} stops or changes ${difference > 0 ? "more" : "less"} than ${against}, by ${points}.`;
      return { ...pair, verdict, summary };
    }
    const verdict = difference > 0 ? "better" : "worse";
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
