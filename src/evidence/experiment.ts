/**
 * An experiment: for a share of end users another stored agent answers in an agent's place. Who gets which is a hash, the same for ever;
 * everything here is pure.
 */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { itemName } from "../conversation/names.js";
import { ownValue } from "../conversation/own-value.js";
import { hash32 } from "../statistics/random.js";
import { lazily } from "../text/lazily.js";
import type { Assignment } from "./assignment.js";

/** Of whom each has a place in one bucket. */
const bucketCount = 10_000;
/** What the agent itself is called among the variants. */
export const control = "control";

export const metrics = ["blocked", "failed", "degraded", "negative"] as const;
export type Metric = (typeof metrics)[number];

const variant = lazily(() =>
  z.strictObject({
    name: itemName.refine((name) => name !== control, `"${control}" is the agent as it is`),
    /** The stored agent whose definition answers. */
    agent: itemName,
    /** Of all units; the rest is the control's. */
    share: z.number().gt(0).max(0.9),
  }),
);

const guard = lazily(() =>
  z.strictObject({
    metric: z.enum(metrics),
    /** How many times as often as in the control it may be. */
    margin: z.number().min(1).max(10).default(1.5),
    /** How sure it has to be: over 20 is 5 %, over 100 is 1 %. */
    bar: z.number().min(10).max(1e6).default(100),
  }),
);
export type Guard = z.infer<ReturnType<typeof guard>>;

export const newExperimentSchema = lazily(() =>
  z.strictObject({
    agent: itemName,
    /** Who stays with a variant: an end user where there is one, else a session; or each session by itself. */
    unit: z.enum(["subject", "session"]).default("subject"),
    variants: z
      .array(variant())
      .min(1)
      .max(5)
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, "each needs a name of its own")
      .refine((all) => all.reduce((sum, { share }) => sum + share, 0) <= 0.95, "at least 5 % are left for the control"),
    guards: z
      .array(guard())
      .max(3)
      .default([{ metric: "failed", margin: 1.5, bar: 100 }]),
  }),
);
export type NewExperiment = z.infer<ReturnType<typeof newExperimentSchema>>;

const experimentStatuses = ["draft", "running", "stopped", "promoted"] as const;

const range = z.object({ from: z.int(), to: z.int(), variant: z.string() });
type Range = z.infer<typeof range>;

/** As it is stored: what was said, and what became of it. */
export const storedExperimentSchema = lazily(() =>
  newExperimentSchema().extend({
    status: z.enum(experimentStatuses),
    /** Drawn when it is made: another experiment of the same name divides otherwise. */
    seed: z.string(),
    /** Buckets of the variants; all others are the control's. */
    ranges: z.array(range),
    /** Shares of each phase, the control's last: units count in the phase in which they came first. */
    phases: z.array(z.record(z.string(), z.number())),
    /** Versions of the variants' agents, from its start on. */
    versions: z.record(z.string(), z.int()),
    /** Variants that a guard has stopped: whoever had them gets the control from the next turn on. */
    tripped: z.array(
      z.object({ variant: z.string(), metric: z.enum(metrics), evidence: z.number(), at: z.iso.datetime() }),
    ),
    startedAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
    winner: z.string().optional(),
  }),
);
export type StoredExperiment = z.infer<ReturnType<typeof storedExperimentSchema>>;

/** One that turns have to know of, with its name. */
export interface LiveExperiment extends StoredExperiment {
  readonly name: string;
}

export function newExperiment(definition: NewExperiment, seed: string): StoredExperiment {
  return { ...definition, status: "draft", seed, ranges: [], phases: [], versions: {}, tripped: [] };
}

/**
 * The buckets of variants after shares were raised: what is added comes from the control alone, so that nobody changes from one variant to
 * another, nor back.
 */
export function allocate(ranges: readonly Range[], variants: readonly { name: string; share: number }[]): Range[] {
  const all = [...ranges];
  for (const { name, share } of variants) {
    let missing = Math.round(share * bucketCount) - sizeOf(all, name);
    while (missing > 0) {
      const free = firstFree(all);
      if (free === undefined) break;
      const taken = Math.min(missing, free.to - free.from);
      all.push({ from: free.from, to: free.from + taken, variant: name });
      missing -= taken;
    }
  }
  return all;
}

function sizeOf(ranges: readonly Range[], name: string): number {
  return ranges.reduce((sum, { variant: of, from, to }) => sum + (of === name ? to - from : 0), 0);
}

function firstFree(ranges: readonly Range[]): { from: number; to: number } | undefined {
  let from = 0;
  for (const one of ranges.toSorted((a, b) => a.from - b.from)) {
    if (one.from > from) return { from, to: one.from };
    from = Math.max(from, one.to);
  }
  return from < bucketCount ? { from, to: bucketCount } : undefined;
}

/** The shares that buckets come to, the control's with them. */
export function sharesOf(ranges: readonly Range[], variants: readonly { name: string }[]): Record<string, number> {
  const own = variants.map(({ name }): [string, number] => [name, sizeOf(ranges, name) / bucketCount]);
  const rest = 1 - own.reduce((sum, [, share]) => sum + share, 0);
  return Object.fromEntries([...own, [control, Math.round(rest * bucketCount) / bucketCount]]);
}

/** Whether shares only grow, which is all that may change while it runs. */
export function onlyRaises(before: NewExperiment, after: NewExperiment): boolean {
  const rest = ({ variants, ...others }: NewExperiment) =>
    JSON.stringify([others, variants.map(({ name, agent }) => [name, agent])]);
  return (
    rest(before) === rest(after) && after.variants.every(({ share }, at) => share >= (before.variants[at]?.share ?? 1))
  );
}

/**
 * Which variant a session that begins gets.
 * @example assign(experiment, { subject: "ana", sessionId }).variant // always the same of the same subject
 */
export function assign(
  experiment: LiveExperiment,
  { subject, sessionId }: { readonly subject?: string | undefined; readonly sessionId: string },
): Assignment {
  const { name, seed, unit: by, ranges, phases } = experiment;
  const unit = by === "subject" ? (subject ?? sessionId) : sessionId;
  const bucket = hash32(`${seed} ${unit}`) % bucketCount;
  const found = ranges.find(({ from, to }) => from <= bucket && bucket < to);
  return {
    experiment: name,
    seed,
    variant: found?.variant ?? control,
    phase: phases.length - 1,
    // Tells units apart, and nobody from it.
    unit: [`${seed} ${unit}`, `${unit} ${seed}`].map((text) => hash32(text).toString(16).padStart(8, "0")).join(""),
  };
}

/** The agent that answers in a session; nothing where it is its own. */
export function servedBy(
  { experiment: name, seed, variant: of }: Assignment,
  live: readonly LiveExperiment[],
): { readonly name: string; readonly version: number | undefined } | undefined {
  const experiment = live.find((one) => one.name === name && one.seed === seed);
  if (experiment === undefined || experiment.tripped.some((one) => one.variant === of)) return undefined;
  const found = experiment.variants.find((one) => one.name === of);
  return found && { name: found.agent, version: ownValue(experiment.versions, found.name) };
}

export function started(
  experiment: StoredExperiment,
  versions: Readonly<Record<string, number>>,
  at: string,
): StoredExperiment {
  const ranges = allocate(experiment.ranges, experiment.variants);
  const phases = [...experiment.phases, sharesOf(ranges, experiment.variants)];
  return { ...experiment, status: "running", ranges, phases, versions: { ...versions }, startedAt: at };
}

/** With larger shares, in a phase of its own. */
export function raised(experiment: StoredExperiment, variants: NewExperiment["variants"]): StoredExperiment {
  const ranges = allocate(experiment.ranges, variants);
  return { ...experiment, variants, ranges, phases: [...experiment.phases, sharesOf(ranges, variants)] };
}

export function ended(
  experiment: StoredExperiment,
  status: "stopped" | "promoted",
  at: string,
  winner?: string,
): StoredExperiment {
  return { ...experiment, status, endedAt: at, ...defined({ winner }) };
}
