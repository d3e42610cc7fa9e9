/** When a debate ends: decided after every round, from what its rounds hold. */
import type { Exit, RoundRecord } from "./debate.js";

const agreementToEnd = 0.9;
const confidenceToEnd = 0.85;

export interface ExitInput {
  /** The complete rounds, the one that just ended last. */
  readonly rounds: readonly RoundRecord[];
  readonly totalRounds: number;
  readonly exitOnConsensus: boolean;
  /** Why nothing more may be begun. */
  readonly exhausted: string | undefined;
  /** Whether a seat lacks something required: then nobody has agreed yet. */
  readonly blocking: boolean;
}

/**
 * Why there is no further round; `undefined` when there is one. Rounds and budget always end a debate, agreement, stability and
 * confidence only where the panel says so and every seat has spoken.
 * @example exitOf({ rounds, totalRounds: 3, exitOnConsensus: true, exhausted: undefined, blocking: false })
 */
export function exitOf(input: ExitInput): Exit | undefined {
  const { rounds, totalRounds, exitOnConsensus, exhausted, blocking } = input;
  const last = rounds.at(-1);
  if (last === undefined) return undefined;
  const { round, positions, failures, absent } = last;
  if (round >= totalRounds) return { reason: "rounds", round };
  if (exhausted !== undefined) return { reason: "budget", round };
  // The analyst can keep a debate going, and can't end one.
  const vetoed = last.consensus?.analysis?.veto !== undefined;
  const whole = failures.length === 0 && absent.length === 0 && !blocking;
  if (!exitOnConsensus || vetoed || !whole || positions.length < 2) return undefined;
  if ((last.consensus?.agreementLevel ?? 0) >= agreementToEnd) return { reason: "agreement", round };
  if (last.consensus?.isStable === true) return { reason: "stability", round };
  if (positions.every(({ confidence }) => confidence >= confidenceToEnd)) return { reason: "confidence", round };
  return undefined;
}
