/** What several seats say alike, what they deny of each other, and the conditions that only one of them makes. */
import { likeness } from "../../text/overlap.js";
import { plainWords } from "../../text/tokenizer.js";
import type { Cluster, Consensus, Disagreement } from "./schema.js";
import { type Relation, relationOf, type Statement } from "./statements.js";

const most = { commonGround: 8, disagreements: 8, nuances: 8 } as const;

/**
 * Statements that more than half of the seats make, each in the words of one of them, those of most seats first. A seat is credited where
 * its position says so, and nothing that it says denies it.
 * @param claims of positions; @param statements all of the seats', reasons included
 */
export function commonGroundOf(
  claims: readonly Statement[],
  statements: readonly Statement[],
  seatCount: number,
): Consensus["commonGround"] {
  const shared = claims.map((statement) => ({
    statement,
    seats: seatsSaying(statement, claims).filter((seat) => !denies(seat, statement, statements)),
  }));
  const ranked = shared
    .filter(({ seats }) => seats.length >= 2 && seats.length > seatCount / 2)
    .toSorted((a, b) => b.seats.length - a.seats.length || byText(a.statement, b.statement));
  const kept: typeof ranked = [];
  for (const one of ranked) {
    if (!kept.some(({ statement }) => relationOf(statement, one.statement) !== "unrelated")) kept.push(one);
  }
  return kept.slice(0, most.commonGround).map(({ statement, seats }) => ({ text: statement.text, seats }));
}

function seatsSaying(statement: Statement, statements: readonly Statement[]): string[] {
  return seatsOf(
    statements.filter((other) => other.seat === statement.seat || relationOf(statement, other) === "same"),
  );
}

function denies(seat: string, statement: Statement, statements: readonly Statement[]): boolean {
  return statements.some((other) => other.seat === seat && contradictory.includes(relationOf(statement, other)));
}

const contradictory: readonly Relation[] = ["opposite", "figures", "names"];

/** Different stances first; then statements that deny each other, or differ in their figures. @param claims of positions */
export function disagreementsOf(
  clusters: readonly Cluster[],
  claims: readonly Statement[],
  {
    stancesAreParts,
    views,
  }: { readonly stancesAreParts: boolean; readonly views: (cluster: Cluster) => readonly Cluster[] },
): Disagreement[] {
  const stances = clusters.filter(({ stance }) => stance !== undefined);
  const split: Disagreement[] =
    stances.length < 2 || stancesAreParts
      ? []
      : [
          {
            kind: "stance",
            sides: stances
              .flatMap(views)
              .map(({ seats, stance, position }) => ({ seats: [...seats], text: `${stance}: ${position}` })),
          },
        ];
  return [...split, ...contradictions(claims)].slice(0, most.disagreements);
}

function contradictions(claims: readonly Statement[]): Disagreement[] {
  const ordered = claims.toSorted(byText);
  const found: { readonly first: Statement; readonly disagreement: Disagreement }[] = [];
  for (const [at, one] of ordered.entries()) {
    // Each subject once.
    if (found.some(({ first }) => relationOf(first, one) !== "unrelated")) continue;
    const others = ordered
      .slice(at + 1)
      .filter(({ seat }) => seat !== one.seat)
      .map((statement) => ({ statement, relation: relationOf(one, statement) }));
    for (const relation of ["opposite", "figures", "names"] as const) {
      const against = others.filter((other) => other.relation === relation).map(({ statement }) => statement);
      if (against.length === 0) continue;
      const opposed = new Set(against.map(({ seat }) => seat));
      const sides = [
        { seats: seatsSaying(one, ordered).filter((seat) => !opposed.has(seat)), text: one.text },
        ...sidesAgainst(against),
      ];
      found.push({
        first: one,
        disagreement: { kind: relation === "figures" ? "figures" : "statement", sides },
      });
      break;
    }
  }
  return found.map(({ disagreement }) => disagreement);
}

/** Those who contradict a statement needn't say the same: a side each. */
function sidesAgainst(against: readonly Statement[]): Disagreement["sides"] {
  const sides: { readonly text: string; readonly seats: string[]; readonly first: Statement }[] = [];
  const placed = new Set<string>();
  for (const statement of against) {
    if (placed.has(statement.seat)) continue;
    placed.add(statement.seat);
    const side = sides.find(({ first }) => relationOf(first, statement) === "same");
    if (side === undefined) sides.push({ text: statement.text, seats: [statement.seat], first: statement });
    else side.seats.push(statement.seat);
  }
  return sides.map(({ seats, text }) => ({ seats: seats.toSorted(), text }));
}

/** Words that make a condition, an exception or a doubt. */
const conditions: ReadonlySet<string> = new Set(
  "if unless except provided only until depends depending however although but assuming".split(" "),
);
/** A statement that is less like all of the others' is its seat's own. */
const ownBelow = 0.35;

/** One a seat at most: the first condition that it makes and no other seat of its cluster does. */
export function nuancesOf(clusters: readonly Cluster[], statements: readonly Statement[]): Consensus["nuances"] {
  // What a position begins with is the position itself.
  const headlines = new Map(statements.toReversed().map(({ seat, text }) => [seat, text]));
  return clusters
    .filter(({ seats }) => seats.length > 1)
    .flatMap(({ seats }) =>
      seats.flatMap((seat) => {
        const theirs = statements.filter((other) => other.seat !== seat && seats.includes(other.seat));
        const own = statements.find(
          (one) =>
            one.seat === seat &&
            one.text !== headlines.get(seat) &&
            plainWords(one.text).some((word) => conditions.has(word)) &&
            theirs.every((other) => likeness(one.terms, other.terms) < ownBelow),
        );
        return own === undefined ? [] : [{ seat, text: own.text }];
      }),
    )
    .slice(0, most.nuances);
}

function seatsOf(statements: readonly Statement[]): string[] {
  return [...new Set(statements.map(({ seat }) => seat))].sort();
}

function byText(a: Statement, b: Statement): number {
  if (a.text === b.text) return a.seat < b.seat ? -1 : 1;
  return a.text < b.text ? -1 : 1;
}
