/** Who moved between two rounds, how, and towards whom; whether anybody moves at all; and whether they moved for agreement's sake. */

import { likeness, sharedTerms } from "../../text/overlap.js";
import { plainWords } from "../../text/tokenizer.js";
import { type Position, sourceKey } from "../position.js";
import { type ComparedPosition, comparedPositions, meanConfidence, pairAgreement, rounded } from "./agreement.js";
import type { Cluster, Consensus, Movement } from "./schema.js";
import { relationOf } from "./statements.js";

/** What another name for a seat is: as its reasoning would name it. */
export type NameOf<Name = string> = (seat: string) => Name;

/** A change of confidence below this is none. */
const leastConfidenceChange = 0.1;
/** Of the shorter of two own texts this part of the terms is in the other: then it is restated, longer or shorter. */
const sameOwnWords = 0.35;
/** Below this part nothing of it is left. */
const otherWords = 0.15;
/** How much nearer a view has to come to count as approached. */
const leastApproach = 0.15;

/** The seats that moved, in the order of their ids; a seat that spoke in one of the rounds only moved nowhere. @param before, now as of `comparedPositions`. */
export function movementsOf(
  before: readonly ComparedPosition[],
  now: readonly ComparedPosition[],
  nameOf: NameOf,
): Movement[] {
  return now.flatMap((held): Movement[] => {
    const previous = before.find(({ seat }) => seat === held.seat);
    if (previous === undefined) return [];
    const others = before.filter(({ seat }) => seat !== held.seat);
    const kind = changeBetween(previous, held, others);
    if (kind === undefined) return [];
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

/** What changed of a seat's view; to say the same in other words is no change. @param others what the others held before */
function changeBetween(
  before: ComparedPosition,
  now: ComparedPosition,
  others: readonly ComparedPosition[],
): Movement["kind"] | undefined {
  if (before.stance !== now.stance) return "stance";
  if (isAnotherPosition(before, now, others)) return "position";
  return Math.abs(now.confidence - before.confidence) >= leastConfidenceChange - 1e-9 ? "confidence" : undefined;
}

function isAnotherPosition(
  before: ComparedPosition,
  now: ComparedPosition,
  others: readonly ComparedPosition[],
): boolean {
  const [was, is] = [before.claims[0], now.claims[0]];
  const relation = was === undefined || is === undefined ? "same" : relationOf(was, is);
  // The same words with another figure, or denied, are another position.
  if (relation === "figures" || relation === "opposite") return true;
  const left = partLeft(before.terms, now.terms);
  const hasMoved = hasNewEvidence(before, now) || approached(before, now, others).length > 0;
  // Another word in one place is another thing, or another word for it: whoever means another thing comes nearer to somebody, or says why.
  if (relation === "names") return hasMoved || !sameReasoning(before, now);
  if (left >= otherWords) return left < sameOwnWords && hasMoved;
  return left === 0 || now.stance === undefined || hasMoved || !sameReasoning(before, now);
}

/** Of the shorter text the part that the other has, too. */
function partLeft(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shorter = Math.min(one.size, other.size);
  return shorter === 0 ? 1 : sharedTerms(one, other) / shorter;
}

function sameReasoning(before: ComparedPosition, now: ComparedPosition): boolean {
  return partLeft(before.reasoningTerms, now.reasoningTerms) >= sameReasons;
}

function approached(before: ComparedPosition, now: ComparedPosition, others: readonly ComparedPosition[]): string[] {
  return others
    .map((other) => ({ seat: other.seat, gain: rounded(nearness(now, other) - nearness(before, other)) }))
    .filter(({ gain }) => gain >= leastApproach)
    .toSorted((a, b) => b.gain - a.gain)
    .map(({ seat }) => seat);
}

/** Agreement, with the arguments as a tie-break: of those who hold the same, the one whose reasons were taken over is nearer. */
function nearness(one: ComparedPosition, other: ComparedPosition): number {
  const theirs = other.reasoningTerms;
  const taken = theirs.size === 0 ? 0 : sharedTerms(theirs, one.reasoningTerms) / theirs.size;
  return pairAgreement(one, other) + 0.2 * taken;
}

/** By its whole name, as it is written; a name of one word that is written small may be any word. */
export function isNamedIn(name: string, text: string): boolean {
  const words = (of: string) => ` ${of.split(/[^\p{L}\p{N}]+/u).join(" ")} `.replace(/ {2,}/g, " ");
  const named = words(name);
  if (named.trim().length < 2) return false;
  const isSeveral = named.trim().includes(" ");
  return isSeveral ? words(text).toLowerCase().includes(named.toLowerCase()) : words(text).includes(named);
}

function hasNewEvidence(before: Position, now: Position): boolean {
  const known = new Set(before.citations.map(sourceKey));
  return (
    now.citations.some((citation) => !known.has(sourceKey(citation))) ||
    now.citedContext.some((id) => !before.citedContext.includes(id))
  );
}

/**
 * Whether nobody moved over so many rounds: the same seats spoke in each, with the same stance, as sure as before, and in much
 * the same words.
 * @param rounds the positions of each round, oldest first.
 */
export function isStable(rounds: readonly (readonly Position[])[], stableRounds: number): boolean {
  const last = rounds.slice(-stableRounds).map(comparedPositions);
  if (last.length < stableRounds) return false;
  return last.slice(1).every((now, at) => {
    const before = last[at] ?? [];
    return (
      now.length > 0 &&
      now.length === before.length &&
      now.every((held) => {
        const previous = before.find(({ seat }) => seat === held.seat);
        const others = before.filter(({ seat }) => seat !== held.seat);
        return previous !== undefined && changeBetween(previous, held, others) === undefined;
      })
    );
  });
}

/** An agreement below this is none that could be false. */
const agreementToDoubt = 0.8;
/** Reasons that share so many of their terms are the same reasons. */
const sameReasons = 0.6;
/** So much surer, without anything new. */
const surerBy = 0.05;

/**
 * Signs that a panel agrees for agreement's sake, and the warning; `undefined` where nothing points to it. Published studies of debates
 * between models found that most changes of mind go to the majority, whether it is right or not: so an agreement is looked at for what it
 * rests on.
 */
export function groupthinkOf(
  agreementLevel: number,
  held: readonly ComparedPosition[],
  before: readonly ComparedPosition[],
  clusters: readonly Cluster[],
  movements: readonly Movement[],
): Consensus["groupthink"] {
  const [largest] = clusters;
  if (agreementLevel < agreementToDoubt || held.length < 2 || largest === undefined) return undefined;
  const isGrounded = held.some(({ citations, citedContext }) => citations.length + citedContext.length > 0);
  const followers = movements.filter(
    ({ seat, kind, newEvidence }) => kind !== "confidence" && !newEvidence && largest.seats.includes(seat),
  );
  const surer = before.length > 0 && meanConfidence(held) - meanConfidence(before) >= surerBy;
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
  const isWarning = signs.length >= 2 || followers.length > 0;
  return isWarning ? { warning: `The seats may agree for agreement's sake: ${signs.join("; ")}.`, signs } : undefined;
}

function reasonsAreAlike(held: readonly ComparedPosition[]): boolean {
  const values = held.flatMap((one, at) =>
    held.slice(at + 1).map((other) => likeness(one.reasoningTerms, other.reasoningTerms)),
  );
  return values.reduce((sum, value) => sum + value, 0) / values.length >= sameReasons;
}

function count(number: number, what: string): string {
  return number === 1 ? `one ${what}` : `${number} ${what}s`;
}

/** Words of somebody who reports what another says, and of somebody who joins in it. */
const reporting: ReadonlySet<string> = new Set(
  `says said argues argued claims claimed thinks thought believes believed wants wanted proposes proposed suggests suggested holds insists
   maintains contends prefers according sagt meint behauptet findet glaubt laut dit affirme pense prétend selon dice afirma cree según`.split(
    /\s+/,
  ),
);
const joining: ReadonlySet<string> = new Set(
  `agree agreed agrees right rightly correct correctly concede support share accept join zustimmen stimme recht richtig teile raison accord
   juste razón acuerdo correcto`.split(/\s+/),
);

/** Whether a statement tells what somebody says, without joining in it. */
export function isReport(text: string): boolean {
  const words = plainWords(text);
  return words.some((word) => reporting.has(word)) && !words.some((word) => joining.has(word));
}
