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

const placeSchema = lazily(() =>
  z.object({
    at: z.iso.datetime(),
    sessionId: z.string().optional(),
    runId: z.string().optional(),
    roundtableId: z.string().optional(),
    memoryId: z.string().optional(),
    workId: z.string().optional(),
    hook: z.enum(hooks),
    about: passSubjectSchema,
  }),
);
export const disagreementSchema = lazily(() =>
  placeSchema().extend({
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
export function shadowPairs(entries: readonly RecordedPass[], of: Compared): ShadowPairs {
  const pairing = new Pairing(of);
  pairing.add(entries);
  return pairing.pairs();
}

interface Compared {
  readonly supervisor: SupervisorVersion;
  readonly other: SupervisorVersion;
  readonly hook?: string | undefined;
}

/** The same of passes that come page by page. */
export class Pairing {
  private readonly own = new Map<string, Judged>();
  private readonly others = new Map<string, Judged>();

  constructor(private readonly of: Compared) {}

  /** @param entries in their order, behind those before */
  add(entries: readonly RecordedPass[]): void {
    const { supervisor, other, hook } = this.of;
    for (const entry of entries) {
      if (entry.type !== "supervision" || (hook !== undefined && entry.hook !== hook)) continue;
      for (const step of entry.steps ?? []) {
        // Who wasn't asked has said nothing.
        if (step.skipped !== undefined) continue;
        if (isBy(step, supervisor)) keep(this.own, entry, step);
        if (isBy(step, other)) keep(this.others, entry, step);
      }
    }
  }

  pairs(): ShadowPairs {
    const { own, others } = this;
    const { supervisor, other } = this.of;
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
        .filter(({ first, second }) => isDecided(first) && isDecided(second) && first.action !== second.action)
        .slice(0, namedAtMost)
        .map(({ first, second }) => ({ ...first.place, action: first.action, withAction: second.action })),
      unpaired: { ...alone, ...(share && { share }) },
    };
  }
}

/** Of a step what is counted: the rest of its row is let go. */
interface Judged extends Pick<Step, "action" | "latencyMs" | "usage" | "failed"> {
  readonly place: Omit<Disagreement, "action" | "withAction">;
  readonly group: string;
}

/** The same text twice in one piece of work is one text. */
function keep(known: Map<string, Judged>, entry: RecordedPass, step: Step): void {
  const { at, sessionId, runId, roundtableId, memoryId, workId, hook, subject: about } = entry;
  const group = sessionId ?? runId ?? roundtableId ?? memoryId ?? "";
  const key = [group, workId, hook, step.beforeHash].join(" ");
  if (known.has(key)) return;
  const { action, latencyMs, usage, failed } = step;
  const place = placeSchema().parse({ at, sessionId, runId, roundtableId, memoryId, workId, hook, about });
  known.set(key, { ...{ action, latencyMs, usage, failed }, place, group });
}

function isBy(step: Step, { name, version }: SupervisorVersion): boolean {
  return step.supervisor === name && step.version === version;
}

function isDecided({ failed }: Judged): boolean {
  return failed === undefined;
}

function resultOf(itemId: string, candidate: string, { action, latencyMs, usage, failed, group }: Judged): ItemResult {
  return {
    ...{ itemId, candidate, repeat: 0, group },
    result: { action, latencyMs, ...(usage && { usage }), ...(failed !== undefined && { failed }) },
  };
}
