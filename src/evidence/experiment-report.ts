/** What an experiment has come to: shares of each variant, whether they differ, and whether anybody may say so yet. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { ownValue } from "../conversation/own-value.js";
import { evidenceOf, logEvidence } from "../statistics/sequential.js";
import { rounded, shareOf } from "../statistics/shares.js";
import { lazily } from "../text/lazily.js";
import { control, type Guard, type Metric, metrics, type StoredExperiment } from "./experiment.js";

/** Units of a variant in a phase: how many, and how many of them had a turn that was blocked, failed or degraded, or that somebody gave a -1. */
export interface UnitCount extends Readonly<Record<Metric, number>> {
  readonly variant: string;
  readonly phase: number;
  readonly units: number;
}

/** Under so many units in all nothing is said. */
const fewestUnits = 100;
/** From here on a difference is no chance, however often it was looked at: 5 %. */
const differenceBar = 20;
/** From here on the units aren't divided as they should be: 1 in 1,000. */
const splitBar = 1_000;

const share = lazily(() => z.object({ share: z.number(), low: z.number(), high: z.number() }));
const variantReport = lazily(() =>
  z.object({
    variant: z.string(),
    units: z.int(),
    ...Object.fromEntries(metrics.map((metric) => [metric, z.object({ units: z.int(), share: share().optional() })])),
    stopped: z.object({ metric: z.enum(metrics), evidence: z.number(), at: z.iso.datetime() }).optional(),
  }),
);

export const experimentReportSchema = lazily(() =>
  z.object({
    variants: z.array(variantReport()),
    /** How strongly it speaks against *no difference*: over 20 is 5 %. It may be looked at at any time. */
    evidence: z.record(z.string(), z.number()),
    /** The units aren't divided as the shares say: something keeps some of them away, and no winner is named. */
    split: z.object({ evidence: z.number(), broken: z.boolean() }),
    verdict: z.enum(["not_enough", "no_difference", "difference", "broken_split"]),
    /** In one sentence. */
    summary: z.string(),
  }),
);
export type ExperimentReport = z.infer<ReturnType<typeof experimentReportSchema>>;

export function experimentReport(experiment: StoredExperiment, counts: readonly UnitCount[]): ExperimentReport {
  const names = [control, ...experiment.variants.map(({ name }) => name)];
  const sum = (name: string, of: (count: UnitCount) => number): number =>
    counts.reduce((so, count) => so + (count.variant === name ? of(count) : 0), 0);
  const variants = names.map((name) => {
    const units = sum(name, (count) => count.units);
    const stopped = experiment.tripped.find(({ variant }) => variant === name);
    const shares = metrics.map((metric): [Metric, object] => {
      const bad = sum(name, (count) => count[metric]);
      return [metric, { units: bad, ...defined({ share: shareOf(bad, units) }) }];
    });
    const why = stopped && { metric: stopped.metric, evidence: stopped.evidence, at: stopped.at };
    return { variant: name, units, ...Object.fromEntries(shares), ...defined({ stopped: why }) };
  });
  const logs = metrics.map((metric): [Metric, number] => [
    metric,
    phaseLogs(experiment, counts, names, (count) => count[metric]),
  ]);
  const splitLog = phaseLogs(experiment, counts, names, (count) => count.units);
  const split = { evidence: evidenceOf(splitLog), broken: splitLog >= Math.log(splitBar) };
  const units = variants.reduce((so, one) => so + one.units, 0);
  const found = logs.filter(([, log]) => log >= Math.log(differenceBar));
  const rates = (metric: Metric, name: string): number =>
    sum(name, (count) => count[metric]) /
    Math.max(
      1,
      sum(name, (count) => count.units),
    );
  return {
    variants,
    evidence: Object.fromEntries(logs.map(([metric, log]) => [metric, evidenceOf(log)])),
    split,
    ...verdictOf({ units, isBroken: split.broken, found: found.map(([metric]) => metric), logs, names, rates }),
  };
}

interface Seen {
  readonly units: number;
  readonly isBroken: boolean;
  readonly found: readonly Metric[];
  readonly logs: readonly (readonly [Metric, number])[];
  readonly names: readonly string[];
  readonly rates: (metric: Metric, name: string) => number;
}

function verdictOf({
  units,
  isBroken,
  found,
  logs,
  names,
  rates,
}: Seen): Pick<ExperimentReport, "verdict" | "summary"> {
  if (isBroken)
    return {
      verdict: "broken_split",
      summary:
        "The units aren't divided as the shares say, so no winner is named. Look for what keeps some of them away.",
    };
  if (units < fewestUnits)
    return { verdict: "not_enough", summary: `Too early to say: about ${fewestUnits - units} conversations more.` };
  const [metric] = found;
  if (metric === undefined) {
    const strongest = Math.max(...logs.map(([, log]) => log));
    const more = strongest <= 0.5 ? undefined : Math.ceil(units * (Math.log(differenceBar) / strongest - 1));
    const wanted = more === undefined ? "" : ` About ${more} conversations more would show one as large as this.`;
    return { verdict: "no_difference", summary: `No difference seen in ${units} conversations.${wanted}` };
  }
  const said = names.map((name) => `${name} ${percent(rates(metric, name))}`).join(", ");
  return {
    verdict: "difference",
    summary: `They differ in how many conversations had a turn that was ${metric}: ${said}.`,
  };
}

const percent = (rate: number): string => `${rounded(rate * 100)} %`;

/** The logarithms of e-values of phases add up: each phase by its own shares. */
function phaseLogs(
  { phases }: Pick<StoredExperiment, "phases">,
  counts: readonly UnitCount[],
  names: readonly string[],
  of: (count: UnitCount) => number,
): number {
  return phases.reduce((sum, shares, phase) => {
    const inPhase = counts.filter((count) => count.phase === phase);
    const seen = names.map((name) => inPhase.reduce((so, count) => so + (count.variant === name ? of(count) : 0), 0));
    return (
      sum +
      logEvidence(
        seen,
        names.map((name) => ownValue(shares, name) ?? 0),
      )
    );
  }, 0);
}

/**
 * The variants that a guard stops: of which it is shown that they do worse than the control by more than the margin.
 * @returns those that aren't stopped yet
 */
export function trippedBy(
  { phases, variants, guards, tripped }: StoredExperiment,
  counts: readonly UnitCount[],
): { readonly variant: string; readonly metric: Metric; readonly evidence: number }[] {
  const left = variants.filter(({ name }) => !tripped.some(({ variant }) => variant === name));
  return left.flatMap(({ name }) => {
    const found = guards.flatMap((guard) => {
      const log = guardLog(guard, name, phases, counts);
      return log >= Math.log(guard.bar) ? [{ variant: name, metric: guard.metric, evidence: evidenceOf(log) }] : [];
    });
    return found.slice(0, 1);
  });
}

/** Against "at most `margin` times the control's rate": at that, of two bad units this share would be the variant's. */
function guardLog(
  { metric, margin }: Guard,
  name: string,
  phases: StoredExperiment["phases"],
  counts: readonly UnitCount[],
): number {
  return phases.reduce((sum, shares, phase) => {
    const of = (variant: string): number =>
      counts.reduce((so, one) => so + (one.variant === variant && one.phase === phase ? one[metric] : 0), 0);
    const [own, others] = [(ownValue(shares, name) ?? 0) * margin, ownValue(shares, control) ?? 0];
    const expected = own / (own + others);
    const [bad, fine] = [of(name), of(control)];
    // Doing better than the margin is no reason to stop.
    if (bad / Math.max(1, bad + fine) <= expected) return sum;
    return sum + logEvidence([bad, fine], [expected, 1 - expected], guardConcentration);
  }, 0);
}

/** A guard looks for large differences: it spreads its mixture wide, and sees them after few units. */
const guardConcentration = 4;
