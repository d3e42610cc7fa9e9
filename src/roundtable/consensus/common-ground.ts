/** What several seats say alike, what they deny of each other, and the conditions that only one of them makes. */
import { likeness } from "../../text/overlap.js";
import { plainWords } from "../../text/tokenizer.js";
import type { Cluster } from "./clusters.js";
import type { Consensus, Disagreement } from "./schema.js";
import { relationOf, type Statement } from "./statements.js";

const most = { commonGround: 8, disagreements: 8, nuances: 8 } as const;

/** Statements that more than half of the seats make, each in the words of one of them, those of most seats first. */
export function commonGroundOf(statements: readonly Statement[], seatCount: number): Consensus["commonGround"] {
  const shared = statements.map((statement) => {
    const others = statements.filter(
      (other) => other.seat === statement.seat || relationOf(statement, other) === "same",
    );
    return { statement, seats: seatsOf(others) };
  });
  const ranked = shared
    .filter(({ seats }) => seats.length >= 2 && seats.length > seatCount / 2)
    .toSorted((a, b) => b.seats.length - a.seats.length || byText(a.statement, b.statement));
  const kept: typeof ranked = [];
  for (const one of ranked) {
    if (!kept.some(({ statement }) => relationOf(statement, one.statement) !== "unrelated")) kept.push(one);
  }
  return kept.slice(0, most.commonGround).map(({ statement, seats }) => ({ text: statement.text, seats }));
}

/** Different stances first; then statements that deny each other, or differ in their figures. */
export function disagreementsOf(
  clusters: readonly Cluster[],
  statements: readonly Statement[],
  stancesAreParts: boolean,
): Disagreement[] {
  const stances = clusters.filter(({ stance }) => stance !== undefined);
  const split: Disagreement[] =
    stances.length < 2 || stancesAreParts
      ? []
      : [
          {
            kind: "stance",
            sides: stances.map(({ seats, stance, position }) => ({
              seats: [...seats],
              text: `${stance}: ${position}`,
            })),
          },
        ];
  return [...split, ...contradictions(statements)].slice(0, most.disagreements);
}

function contradictions(statements: readonly Statement[]): Disagreement[] {
  const ordered = statements.toSorted(byText);
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
      const [opponent] = against;
      if (opponent === undefined) continue;
      const withOne = ordered.filter((other) => other.seat === one.seat || relationOf(one, other) === "same");
      const sides = [
        { seats: seatsOf(withOne).filter((seat) => !against.some((other) => other.seat === seat)), text: one.text },
        { seats: seatsOf(against), text: opponent.text },
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
