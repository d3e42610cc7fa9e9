/**
 * A supervisor and its shadow over the same texts, as the audit has them: pairs of one session, at one hook, of one text (`beforeHash`).
 * Live traffic has paid for this comparison already; pure.
 */
import { z } from "zod";
import { type Share, shareOf } from "../statistics/shares.js";
import { type PassSubject, passSubjectSchema, type SupervisionStep } from "../supervision/state.js";
import { actions, hooks } from "../supervision/verdict.js";
import { lazily } from "../text/lazily.js";
import type { ItemResult } from "./evaluation.js";

/** Disagreements that are named. */
const namedAtMost = 50;

/** A row of the audit, as far as it is read here. */
interface RecordedPass {
  readonly at: string;
  readonly type: string;
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  readonly roundtableId?: string | undefined;
  readonly memoryId?: string | undefined;
  readonly workId?: string | undefined;
  readonly hook?: string | undefined;
  readonly subject: PassSubject;
  readonly steps?: readonly Step[] | undefined;
}
type Step = Omit<SupervisionStep, "wholeReasons">;

export interface SupervisorVersion {
  readonly name: string;
  readonly version: number;
}

export const disagreementSchema = lazily(() =>
  z.object({
    at: z.iso.datetime(),
    sessionId: z.string().optional(),
    runId: z.string().optional(),
    roundtableId: z.string().optional(),
    memoryId: z.string().optional(),
    workId: z.string().optional(),
    hook: z.enum(hooks),
    about: passSubjectSchema,
    /** What the supervisor said, and what the other one did. */
    action: z.enum(actions),
    withAction: z.enum(actions),
  }),
);
type Disagreement = z.infer<ReturnType<typeof disagreementSchema>>;

export interface ShadowPairs {
  /** Of both, of texts that both have judged. */
  readonly results: readonly ItemResult[];
  readonly disagreements: Disagreement[];
  /** Texts that one of them alone has judged, and their share of all. */
  readonly unpaired: { readonly supervisor: number; readonly with: number; readonly share?: Share };
}

/** @example labelOf({ name: "weapons", version: 3 }) // "weapons@3" */
export function labelOf({ name, version }: SupervisorVersion): string {
  return `${name}@${version}`;
}

/** @param entries passes in their order; what isn't one is passed over */
export function shadowPairs(
  entries: readonly RecordedPass[],
  { supervisor, other, hook }: { supervisor: SupervisorVersion; other: SupervisorVersion; hook?: string | undefined },
): ShadowPairs {
  const own = new Map<string, Judged>();
  const others = new Map<string, Judged>();
  for (const entry of entries) {
    if (entry.type !== "supervision" || (hook !== undefined && entry.hook !== hook)) continue;
    for (const step of entry.steps ?? []) {
      // Who wasn't asked has said nothing.
      if (step.skipped !== undefined) continue;
      const group = entry.sessionId ?? entry.runId ?? entry.roundtableId ?? entry.memoryId ?? "";
      const key = [group, entry.workId, entry.hook, step.beforeHash].join(" ");
      // The same text twice in one piece of work is one text.
      if (isBy(step, supervisor) && !own.has(key)) own.set(key, { entry, step, group });
      if (isBy(step, other) && !others.has(key)) others.set(key, { entry, step, group });
    }
  }
  const pairs = [...own].flatMap(([key, first]) => {
    const second = others.get(key);
    return second === undefined ? [] : [{ key, first, second }];
  });
  const alone = { supervisor: own.size - pairs.length, with: others.size - pairs.length };
  const share = shareOf(alone.supervisor + alone.with, pairs.length + alone.supervisor + alone.with);
  return {
    results: pairs.flatMap(({ key, first, second }) => [
      resultOf(key, labelOf(supervisor), first),
      resultOf(key, labelOf(other), second),
    ]),
    disagreements: pairs
      .filter(({ first, second }) => isDecided(first) && isDecided(second) && first.step.action !== second.step.action)
      .slice(0, namedAtMost)
      .map(({ first, second }) => disagreementOf(first, second)),
    unpaired: { ...alone, ...(share && { share }) },
  };
}

interface Judged {
  readonly entry: RecordedPass;
  readonly step: Step;
  readonly group: string;
}

function isBy(step: Step, { name, version }: SupervisorVersion): boolean {
  return step.supervisor === name && step.version === version;
}

function isDecided({ step }: Judged): boolean {
  return step.failed === undefined;
}

function resultOf(itemId: string, candidate: string, { step, group }: Judged): ItemResult {
  const { action, latencyMs, usage, failed } = step;
  return {
    ...{ itemId, candidate, repeat: 0, group },
    result: { action, latencyMs, ...(usage && { usage }), ...(failed !== undefined && { failed }) },
  };
}

function disagreementOf({ entry, step }: Judged, { step: other }: Judged): Disagreement {
  const { at, sessionId, runId, roundtableId, memoryId, workId, hook, subject } = entry;
  return disagreementSchema().parse({
    ...{ at, sessionId, runId, roundtableId, memoryId, workId, hook },
    ...{ about: subject, action: step.action, withAction: other.action },
  });
}
