/** Statements of positions, and whether two of them say the same, or the opposite, as far as their words show it. */
import { likeness, sharedTerms, termSet } from "../../text/overlap.js";
import { sentences } from "../../text/passages.js";
import { fold, plainWords, wordTerm } from "../../text/tokenizer.js";
import type { Position } from "../position.js";

export interface Statement {
  /** Whose it is. */
  readonly seat: string;
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  /** Whether it denies what its terms name. */
  readonly isNegated: boolean;
  readonly numbers: ReadonlySet<string>;
}

/** Words that deny or turn down what stands beside them; whole words, so that "agree" isn't found in "disagree". */
const negations: ReadonlySet<string> = new Set(
  `not no never nor neither without cannot cant against avoid avoids reject rejects rejected refuse refuses oppose opposes
   disagree disagrees stop stops wrong false unlikely hardly`.split(/\s+/),
);
const negationTerms: ReadonlySet<string> = new Set([...negations].map(wordTerm));

/** From which share of common terms on two statements speak of the same. */
const sameSubject = 0.5;
/** Statements that are read of one seat, those of its position first; and of its position alone. */
const mostStatements = 10;
const mostClaims = 6;
/** A statement of fewer terms says too little to be compared. */
const leastTerms = 2;

/** The statements of a seat, those of its position first. */
export function statementsOf({
  seat,
  position,
  reasoning,
}: Pick<Position, "seat" | "position" | "reasoning">): Statement[] {
  return [...sentences(position), ...sentences(reasoning)]
    .slice(0, mostStatements)
    .map((text) => readStatement(seat, text))
    .filter(({ terms }) => terms.size >= leastTerms);
}

/** The statements of its position alone. */
export function claimsOf({ seat, position }: Pick<Position, "seat" | "position">): Statement[] {
  return sentences(position)
    .slice(0, mostClaims)
    .map((text) => readStatement(seat, text));
}

function readStatement(seat: string, text: string): Statement {
  const words = plainWords(fold(text));
  const contractions = text.match(/n['’]t\b/gi)?.length ?? 0;
  const count = words.filter((word) => negations.has(word)).length + contractions;
  const all = termSet(text);
  return {
    seat,
    text,
    terms: new Set([...all].filter((term) => !negationTerms.has(term))),
    // Denied twice is said.
    isNegated: count % 2 === 1,
    numbers: new Set([...all].filter((term) => /^\d/.test(term))),
  };
}

export type Relation = "same" | "opposite" | "figures" | "unrelated";

/**
 * `same`: of the same things, and neither denies what the other says. `opposite`: one denies it. `figures`: the same but for its numbers.
 * @example relationOf(one("We should migrate in May."), other("We should not migrate in May.")) // "opposite"
 */
export function relationOf(one: Statement, other: Statement): Relation {
  if (likeness(one.terms, other.terms) < sameSubject) return "unrelated";
  if (one.isNegated !== other.isNegated) return "opposite";
  const bothHaveNumbers = one.numbers.size > 0 && other.numbers.size > 0;
  return bothHaveNumbers && sharedTerms(one.numbers, other.numbers) === 0 ? "figures" : "same";
}
