/**
 * How far positions agree, from 0 to 1, by what can be counted: stances, confidences and the words that positions have in common. The
 * same in whatever order the seats come. And who stands with whom: seats of one stance, and among those without one, seats that say
 * much the same.
 */
import { defined } from "../../conversation/defined.js";
import { likeness, termSet } from "../../text/overlap.js";
import { shorten } from "../../text/passages.js";
import type { Position, Stance } from "../position.js";
import type { Cluster } from "./schema.js";
import { claimsOf, type Relation, relationOf, type Statement, termsOf } from "./statements.js";

/** A position with what is compared of it, read once. */
export interface ComparedPosition extends Position {
  readonly terms: ReadonlySet<string>;
  readonly reasoningTerms: ReadonlySet<string>;
  /** The statements of its position. */
  readonly claims: readonly Statement[];
}

/** The positions in the order of their seats' ids: sums of fractions depend on the order in which they are made. */
export function comparedPositions(positions: readonly Position[]): ComparedPosition[] {
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
export function pairAgreement(one: ComparedPosition, other: ComparedPosition): number {
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
 * @param held in the order of `comparedPositions`.
 * @example agreementLevel(comparedPositions([{ seat: "a", stance: "YES", … }, { seat: "b", stance: "NO", … }])) // 0
 */
export function agreementLevel(held: readonly ComparedPosition[]): number {
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

export function meanConfidence(held: readonly Pick<ComparedPosition, "confidence">[]): number {
  const sum = held.reduce((total, { confidence }) => total + confidence, 0);
  return held.length === 0 ? 0 : rounded(sum / held.length);
}

/** In the order of the seats' ids. */
function inOrder<T extends { readonly seat: string }>(positions: readonly T[]): T[] {
  return positions.toSorted((a, b) => (a.seat < b.seat ? -1 : a.seat > b.seat ? 1 : 0));
}

function pairsOf(held: readonly ComparedPosition[]): [ComparedPosition, ComparedPosition][] {
  return held.flatMap((one, at) =>
    held.slice(at + 1).map((other): [ComparedPosition, ComparedPosition] => [one, other]),
  );
}

/** To a thousandth: more than that the measure doesn't tell. */
export function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** From which mean agreement on seats without a stance stand together: above what seats have whose figures alone differ. */
const leastAgreement = 0.55;

/** The largest first, then the surest. @param held in the order of `comparedPositions`. */
export function clustersOf(held: readonly ComparedPosition[]): Cluster[] {
  const groups = new Map<Stance, ComparedPosition[]>();
  const free: ComparedPosition[][] = [];
  for (const one of held) {
    if (one.stance === undefined) free.push([one]);
    else groups.set(one.stance, [...(groups.get(one.stance) ?? []), one]);
  }
  return [...groups.values(), ...joined(free)]
    .map(clusterOf)
    .toSorted(
      (a, b) =>
        b.seats.length - a.seats.length ||
        b.confidence - a.confidence ||
        ((a.seats[0] ?? "") < (b.seats[0] ?? "") ? -1 : 1),
    );
}

/** Of seats of one stance those who say the same: nobody is shown with words that another of them said otherwise. */
export function viewsOf({ seats }: Cluster, held: readonly ComparedPosition[]): Cluster[] {
  const members = held.filter(({ seat }) => seats.includes(seat));
  const groups = joined(members.map((one) => [{ ...one, stance: undefined }]));
  return groups.map((group) => clusterOf(members.filter(({ seat }) => group.some((one) => one.seat === seat))));
}

/** The two groups that agree most become one, as long as they agree enough. */
function joined(groups: readonly ComparedPosition[][]): ComparedPosition[][] {
  let current = [...groups];
  for (;;) {
    let best:
      | { readonly one: ComparedPosition[]; readonly other: ComparedPosition[]; readonly agreement: number }
      | undefined;
    for (const [at, one] of current.entries()) {
      for (const other of current.slice(at + 1)) {
        const agreement = meanAgreement(one, other);
        if (agreement >= leastAgreement && agreement > (best?.agreement ?? 0)) best = { one, other, agreement };
      }
    }
    if (best === undefined) return current;
    const { one, other } = best;
    current = [...current.filter((group) => group !== one && group !== other), inOrder([...one, ...other])].toSorted(
      (a, b) => ((a[0]?.seat ?? "") < (b[0]?.seat ?? "") ? -1 : 1),
    );
  }
}

function meanAgreement(one: readonly ComparedPosition[], other: readonly ComparedPosition[]): number {
  const values = one.flatMap((held) => other.map((theirs) => pairAgreement(held, theirs)));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function clusterOf(members: readonly ComparedPosition[]): Cluster {
  const nearness = (held: ComparedPosition): number =>
    members.reduce((sum, other) => (other === held ? sum : sum + likeness(held.terms, other.terms)), 0);
  const [central] = members.toSorted((a, b) => nearness(b) - nearness(a) || b.confidence - a.confidence);
  return {
    seats: members.map(({ seat }) => seat),
    ...defined({ stance: central?.stance }),
    spokenFor: central?.seat ?? "",
    position: headline(central?.position ?? ""),
    confidence: meanConfidence(members),
  };
}

/** A position where it stands in full elsewhere. */
function headline(position: string): string {
  return shorten(position, 240);
}
