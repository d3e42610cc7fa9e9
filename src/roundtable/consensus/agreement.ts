/**
 * How far positions agree, from 0 to 1, by what can be counted: stances, confidences and the words that positions have in common. The
 * same in whatever order the seats come.
 */
import { likeness, termSet } from "../../text/overlap.js";
import type { Position, Stance } from "../position.js";
import { claimsOf, type Relation, relationOf, type Statement, termsOf } from "./statements.js";

/** A position with what is compared of it, read once. */
export interface Held extends Position {
  readonly terms: ReadonlySet<string>;
  readonly reasoningTerms: ReadonlySet<string>;
  /** The statements of its position. */
  readonly claims: readonly Statement[];
}

/** The positions in the order of their seats' ids: sums of fractions depend on the order in which they are made. */
export function heldIn(positions: readonly Position[]): Held[] {
  return inOrder(positions).map((position) => ({
    ...position,
    terms: termsOf(position.position),
    reasoningTerms: termSet(position.reasoning),
    claims: claimsOf(position),
  }));
}

/** Where both have a stance it says nearly everything: the same answer for other reasons is agreement. */
const stanceWeight = 0.9;
/** Share of common terms from which on two positions in words of their own say the same. */
const fullLikeness = 0.6;
/** Share of common terms from which on a position's nearest statement of another's is looked at for what it denies: any less is no agreement. */
const leastOfNearest = 0.3;
/** Below this mean confidence an agreement is tentative, and counts less. */
const tentativeBelow = 0.5;

/** One answer, whose statements deny each other, or differ in what they name. */
const mostOf = { opposed: 0.5, differing: 0.75 } as const;

/** How far two seats agree. */
export function pairAgreement(one: Held, other: Held): number {
  const relations = relationsBetween(one.claims, other.claims);
  const isOpposed = relations.includes("opposite");
  const differ = relations.includes("figures") || relations.includes("names");
  const overlap = Math.min(1, likeness(one.terms, other.terms) / fullLikeness);
  // By their words alone: nothing where one denies what the other says, half at most where figures, dates or names differ.
  const words = isOpposed ? 0 : differ ? overlap / 2 : overlap;
  if (one.stance === undefined || other.stance === undefined) return words;
  const level = stanceWeight * stanceAgreement(one.stance, other.stance) + (1 - stanceWeight) * words;
  return Math.min(level, isOpposed ? mostOf.opposed : differ ? mostOf.differing : 1);
}

function stanceAgreement(one: Stance, other: Stance): number {
  if (one === other) return 1;
  return one === "NEUTRAL" || other === "NEUTRAL" ? 0.5 : 0;
}

/** Of claims that are like each other; and of those that are each other's nearest, also where they are less so. */
function relationsBetween(one: readonly Statement[], other: readonly Statement[]): Relation[] {
  const nearest = (claim: Statement, claims: readonly Statement[]) =>
    claims.toSorted((a, b) => likeness(claim.terms, b.terms) - likeness(claim.terms, a.terms))[0];
  return one.flatMap((claim) => {
    const closest = nearest(claim, other);
    return other.map((theirs) => {
      const isNearest = theirs === closest && nearest(theirs, one) === claim;
      return isNearest ? relationOf(claim, theirs, leastOfNearest) : relationOf(claim, theirs);
    });
  });
}

/**
 * How far all agree: the mean over all pairs, the surer the weightier. Of fewer than two positions there is no agreement.
 * @param held in the order of `heldIn`.
 * @example agreementLevel(heldIn([{ seat: "a", stance: "YES", … }, { seat: "b", stance: "NO", … }])) // 0
 */
export function agreementLevel(held: readonly Held[]): number {
  const pairs = pairsOf(held);
  if (pairs.length === 0) return 0;
  let sum = 0;
  let weights = 0;
  for (const [one, other] of pairs) {
    // Two that are sure of nothing still are a pair.
    const weight = Math.max(0.05, (one.confidence + other.confidence) / 2);
    sum += weight * pairAgreement(one, other);
    weights += weight;
  }
  const tentative = Math.min(1, meanConfidence(held) / tentativeBelow);
  return rounded((sum / weights) * tentative);
}

export function meanConfidence(held: readonly Pick<Held, "confidence">[]): number {
  const sum = held.reduce((total, { confidence }) => total + confidence, 0);
  return held.length === 0 ? 0 : rounded(sum / held.length);
}

/** In the order of the seats' ids. */
export function inOrder<T extends { readonly seat: string }>(positions: readonly T[]): T[] {
  return positions.toSorted((a, b) => (a.seat < b.seat ? -1 : a.seat > b.seat ? 1 : 0));
}

function pairsOf(held: readonly Held[]): [Held, Held][] {
  return held.flatMap((one, at) => held.slice(at + 1).map((other): [Held, Held] => [one, other]));
}

/** To a thousandth: more than that the measure doesn't tell. */
export function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
