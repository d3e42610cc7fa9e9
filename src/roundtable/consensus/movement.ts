/** Who moved between two rounds, how, and towards whom; and whether anybody moves at all. */
import { likeness, sharedTerms } from "../../text/overlap.js";
import { plainWords } from "../../text/tokenizer.js";
import type { Position, Stance } from "../position.js";
import { type Held, pairAgreement, rounded } from "./agreement.js";
import { claimsOf, relationOf, termsOf } from "./statements.js";

export interface Movement {
  readonly seat: string;
  /** The most that changed: the stance, what it holds, or only how sure it is. */
  readonly kind: "stance" | "position" | "confidence";
  readonly stance?: { readonly from?: Stance | undefined; readonly to?: Stance | undefined };
  readonly confidence: { readonly from: number; readonly to: number };
  /** Whose views of the round before it came nearer to, the nearest first. */
  readonly toward: readonly string[];
  /** Whom it names in its reasoning. */
  readonly credits: readonly string[];
  /** Whether it rests on a source or an answer that it didn't rest on before. */
  readonly newEvidence: boolean;
}

/** What another name for a seat is: as its reasoning would name it. */
export type NameOf = (seat: string) => string;

/** A change of confidence below this is none. */
const leastConfidenceChange = 0.1;
/** Own words of two rounds that are less alike than this say something else. */
const sameOwnWords = 0.35;
/** How much nearer a view has to come to count as approached. */
const leastApproach = 0.15;

/** The seats that moved, in the order of their ids; a seat that spoke in one of the rounds only moved nowhere. @param before, now as of `heldIn`. */
export function movementsOf(before: readonly Held[], now: readonly Held[], nameOf: NameOf): Movement[] {
  return now.flatMap((held): Movement[] => {
    const previous = before.find(({ seat }) => seat === held.seat);
    const kind = previous === undefined ? undefined : changeBetween(previous, held);
    if (previous === undefined || kind === undefined) return [];
    const others = before.filter(({ seat }) => seat !== held.seat);
    return [
      {
        seat: held.seat,
        kind,
        ...(kind === "stance" ? { stance: { from: previous.stance, to: held.stance } } : {}),
        confidence: { from: previous.confidence, to: held.confidence },
        toward: kind === "confidence" ? [] : approached(previous, held, others),
        credits: others.map(({ seat }) => seat).filter((seat) => isNamedIn(nameOf(seat), held.reasoning)),
        newEvidence: hasNewEvidence(previous, held),
      },
    ];
  });
}

type Comparable = Pick<Held, "stance" | "confidence" | "terms" | "claims">;

function changeBetween(before: Comparable, now: Comparable): Movement["kind"] | undefined {
  if (before.stance !== now.stance) return "stance";
  const [was, is] = [before.claims[0], now.claims[0]];
  const relation = was === undefined || is === undefined ? "same" : relationOf(was, is);
  // The same words with another figure, or denied, are another position.
  if (relation === "figures" || relation === "names" || relation === "opposite") return "position";
  if (likeness(before.terms, now.terms) < sameOwnWords) return "position";
  return Math.abs(now.confidence - before.confidence) >= leastConfidenceChange - 1e-9 ? "confidence" : undefined;
}

function approached(before: Held, now: Held, others: readonly Held[]): string[] {
  return others
    .map((other) => ({ seat: other.seat, gain: rounded(nearness(now, other) - nearness(before, other)) }))
    .filter(({ gain }) => gain >= leastApproach)
    .toSorted((a, b) => b.gain - a.gain)
    .map(({ seat }) => seat);
}

/** Agreement, with the arguments as a tie-break: of those who hold the same, the one whose reasons were taken over is nearer. */
function nearness(one: Held, other: Held): number {
  const theirs = other.reasoningTerms;
  const taken = theirs.size === 0 ? 0 : sharedTerms(theirs, one.reasoningTerms) / theirs.size;
  return pairAgreement(one, other) + 0.2 * taken;
}

function isNamedIn(name: string, text: string): boolean {
  const words = ` ${plainWords(text).join(" ")} `;
  const named = plainWords(name).join(" ");
  return named !== "" && words.includes(` ${named} `);
}

function hasNewEvidence(before: Position, now: Position): boolean {
  const known = new Set(before.citations.map(({ url, title }) => url ?? title));
  return (
    now.citations.some(({ url, title }) => !known.has(url ?? title)) ||
    now.citedContext.some((id) => !before.citedContext.includes(id))
  );
}

/**
 * Whether nobody moved over so many rounds: the same seats spoke in each, with the same stance, as sure as before, and in much
 * the same words.
 * @param rounds the positions of each round, oldest first.
 */
export function isStable(rounds: readonly (readonly Position[])[], stableRounds: number): boolean {
  const last = rounds
    .slice(-stableRounds)
    .map((round) => round.map((held) => ({ ...held, terms: termsOf(held.position), claims: claimsOf(held) })));
  if (last.length < stableRounds) return false;
  return last.slice(1).every((now, at) => {
    const before = last[at] ?? [];
    return (
      now.length > 0 &&
      now.length === before.length &&
      now.every((held) => {
        const previous = before.find(({ seat }) => seat === held.seat);
        return previous !== undefined && changeBetween(previous, held) === undefined;
      })
    );
  });
}
