/** When a debate ends: decided after every round, from what its rounds hold. */
import type { Consensus } from "./consensus/schema.js";
import type { Exit, RoundRecord } from "./debate.js";
import type { ExitThresholds } from "./panel.js";

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
