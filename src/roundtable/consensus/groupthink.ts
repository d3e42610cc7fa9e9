/**
 * Signs that a panel agrees for agreement's sake. Published studies of debates between models found that most changes of mind go to the
 * majority, whether it is right or not: so an agreement is looked at for what it rests on.
 */
import { likeness } from "../../text/overlap.js";
import type { Held } from "./agreement.js";
import type { Cluster } from "./clusters.js";
import type { Movement } from "./movement.js";
import type { Consensus } from "./schema.js";

export interface GroupthinkInput {
  readonly agreementLevel: number;
  readonly held: readonly Held[];
  readonly clusters: readonly Cluster[];
  readonly movements: readonly Movement[];
  /** Mean confidence of the round before; absent in the first. */
  readonly confidenceBefore: number | undefined;
  readonly confidenceNow: number;
}

/** An agreement below this is none that could be false. */
const agreementToDoubt = 0.8;
/** Reasons that share so many of their terms are the same reasons. */
const sameReasons = 0.6;
/** So much surer, without anything new. */
const surerBy = 0.05;

/** The warning, with its signs; `undefined` where nothing points to it. */
export function groupthinkOf(input: GroupthinkInput): Consensus["groupthink"] {
  const { agreementLevel, held, clusters, movements, confidenceBefore, confidenceNow } = input;
  const [largest] = clusters;
  if (agreementLevel < agreementToDoubt || held.length < 2 || largest === undefined) return undefined;
  const isGrounded = held.some(({ citations, citedContext }) => citations.length + citedContext.length > 0);
  const followers = movements.filter(
    ({ seat, kind, newEvidence }) => kind !== "confidence" && !newEvidence && largest.seats.includes(seat),
  );
  const surer = confidenceBefore !== undefined && confidenceNow - confidenceBefore >= surerBy;
  const signs = [
    ...(followers.length === 0
      ? []
      : [`${count(followers.length, "seat")} moved to the majority without new evidence`]),
    ...(reasonsAreAlike(held) ? ["the seats give much the same reasons in the same words"] : []),
    ...(surer && !movements.some(({ newEvidence }) => newEvidence)
      ? ["the panel grew surer, although nothing new was brought"]
      : []),
    ...(isGrounded ? [] : ["nobody cites a source or an answer to a context request"]),
  ];
  // Agreement without a source alone is common, and often right.
  const isTelling = signs.length >= 2 || followers.length > 0;
  return isTelling ? { warning: `The seats may agree for agreement's sake: ${signs.join("; ")}.`, signs } : undefined;
}

function reasonsAreAlike(held: readonly Held[]): boolean {
  const values = held.flatMap((one, at) =>
    held.slice(at + 1).map((other) => likeness(one.reasoningTerms, other.reasoningTerms)),
  );
  return values.reduce((sum, value) => sum + value, 0) / values.length >= sameReasons;
}

function count(number: number, what: string): string {
  return number === 1 ? `one ${what}` : `${number} ${what}s`;
}
