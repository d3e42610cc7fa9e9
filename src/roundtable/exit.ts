/** What a round comes to as it can be counted, and when a debate ends: decided after every round, from what its rounds hold and took. */
import type { Spent } from "../agent/budget.js";
import { consensusOf } from "./consensus/consensus.js";
import type { Consensus } from "./consensus/schema.js";
import type { Exit, RoundRecord } from "./debate.js";
import { modeNamed } from "./modes/table.js";
import type { ExitThresholds, PanelLimits } from "./panel.js";
import { namesOf } from "./prompts.js";

/** @param rounds complete rounds, the one in question last */
export function countConsensus(
  rounds: readonly Pick<RoundRecord, "positions">[],
  panel: { readonly thresholds: ExitThresholds } & Parameters<typeof namesOf>[0],
): Consensus {
  const { role, anonymous } = modeNamed(panel.mode);
  const stances = panel.seats.map((_, index) => role?.(index, panel.seats.length).stance);
  return consensusOf({
    rounds: rounds.map(({ positions }) => positions),
    stancesAreParts: stances.some((stance) => stance !== undefined && stance !== "required"),
    withEstimates: anonymous === true,
    stableRounds: panel.thresholds.stableRounds,
    nameOf: namesOf(panel),
  });
}

export interface ExitInput {
  /** The complete rounds, the one that just ended last. */
  readonly rounds: readonly RoundRecord[];
  readonly totalRounds: number;
  readonly exitOnConsensus: boolean;
  readonly thresholds: ExitThresholds;
  /** Why nothing more may be begun. */
  readonly exhausted: string | undefined;
  /** Whether a seat lacks something required: then nobody has agreed yet. */
  readonly blocking: boolean;
}

/**
 * Why there is no further round; `undefined` when there is one. Rounds and budget always end a debate. Agreement, stability and
 * confidence do only where the panel says so, every seat has spoken in this round, and each has answered the others once: a blind first
 * round ends nothing.
 * @example exitOf({ rounds, totalRounds: 3, exitOnConsensus: true, thresholds, exhausted: undefined, blocking: false })
 */
export function exitOf(input: ExitInput): Exit | undefined {
  const { rounds, totalRounds, exitOnConsensus, thresholds, exhausted, blocking } = input;
  const last = rounds.at(-1);
  if (last === undefined) return undefined;
  const { round, positions, failures, absent, consensus } = last;
  if (round >= totalRounds) return { reason: "rounds", round };
  if (exhausted !== undefined) return { reason: "budget", round };
  const isWhole = failures.length === 0 && absent.length === 0 && !blocking;
  if (!exitOnConsensus || !isWhole || positions.length < 2 || consensus === undefined) return undefined;
  // The analyst can keep a debate going, and can't end one.
  if (consensus.analysis?.veto !== undefined || !haveAnswered(rounds)) return undefined;
  if (haveAgreed(consensus, thresholds)) return { reason: "agreement", round };
  if (consensus.isStable) return { reason: "stability", round };
  const areSure = positions.every(({ confidence }) => confidence >= thresholds.confidence);
  if (areSure && !areDivided(consensus, thresholds)) return { reason: "confidence", round };
  return undefined;
}

/** Whether each seat of the last round has spoken once after it could read what others held in a round before. */
function haveAnswered(rounds: readonly RoundRecord[]): boolean {
  const answered = new Set(
    rounds.slice(1).flatMap(({ positions }, at) => {
      const before = rounds[at]?.positions ?? [];
      return positions.map(({ seat }) => seat).filter((seat) => before.some((other) => other.seat !== seat));
    }),
  );
  return rounds.at(-1)?.positions.every(({ seat }) => answered.has(seat)) ?? false;
}

/** What is counted, the analyst where there is one, and the seats' own stances: each has to allow it. */
function haveAgreed(consensus: Consensus, { agreement, analyst }: ExitThresholds): boolean {
  const { agreementLevel, analysis } = consensus;
  return (
    agreementLevel >= agreement &&
    (analysis === undefined || analysis.agreementLevel >= analyst) &&
    !takeSides(consensus)
  );
}

/** Where parts have stances, they show nothing of what the seats think. */
function takeSides({ stances, stancesAreParts }: Consensus): boolean {
  return !stancesAreParts && stances.YES > 0 && stances.NO > 0;
}

/** Seats of several views, or whose statements contradict each other; or who are, as the analyst sees it. */
function areDivided(consensus: Consensus, { analyst }: ExitThresholds): boolean {
  const { clusters, disagreements, analysis } = consensus;
  const isSplit = clusters.length > 1 || disagreements.length > 0 || takeSides(consensus);
  return isSplit || (analysis !== undefined && analysis.agreementLevel < analyst);
}

/** What one seat may spend in its turn. */
export interface Share {
  readonly maxTokens: number;
  readonly maxActiveMs: number;
}

/** Equal shares of what is left, so that the whole stays within the limit whatever each does. */
export function shareOf(limits: PanelLimits, spent: Spent, seats: number): Share {
  const tokens = limits.maxTokens - spent.inputTokens - spent.outputTokens;
  return {
    maxTokens: Math.max(1, Math.floor(tokens / Math.max(1, seats))),
    maxActiveMs: Math.max(1, limits.maxActiveMs - spent.activeMs),
  };
}

/** Why nothing more may be begun; `undefined` while there is something left. */
export function budgetExhausted(limits: PanelLimits, spent: Spent): string | undefined {
  const tokens = spent.inputTokens + spent.outputTokens;
  if (tokens >= limits.maxTokens) return `the debate's budget of ${limits.maxTokens} tokens is used up`;
  if (spent.modelCalls >= limits.maxModelCalls)
    return `the debate's budget of ${limits.maxModelCalls} model calls is used up`;
  if (spent.activeMs >= limits.maxActiveMs) return `the debate's budget of ${limits.maxActiveMs} ms is used up`;
  return undefined;
}
