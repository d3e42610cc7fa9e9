/** Statements of positions, and whether two of them say the same, or the opposite, as far as their words show it. */

import { likeness } from "../../text/overlap.js";
import { sentences } from "../../text/passages.js";
import { formLikeness } from "../../text/variants.js";
import type { Position } from "../position.js";
import { approvalConcept, withoutTurning } from "./lexicon.js";
import { type Token, tokensOf } from "./tokens.js";

export interface Statement {
  /** Whose it is. */
  readonly seat: string;
  readonly text: string;
  /** What it is about: words cut to their beginnings, figures, and `@` with a number for words that have an opposite. */
  readonly terms: ReadonlySet<string>;
  /** The same in order, with repetitions. */
  readonly sequence: readonly string[];
  /** Which of its terms it affirms (1) or denies (-1); of words that have an opposite, which side it takes. */
  readonly signs: ReadonlyMap<string, Sign>;
  /** Which side of an opposite its words are on, denied or not. */
  readonly sides: ReadonlyMap<string, Sign>;
  /** Numbers, months and days of the week. */
  readonly figures: readonly string[];
  /** Words with a capital that seem to be names. */
  readonly names: ReadonlySet<string>;
  /** What something comes from, or is measured by: "from Oracle", "than the second". */
  readonly origins: ReadonlySet<string>;
  /** The word that each term stands for. */
  readonly words: ReadonlyMap<string, string>;
}
/** 0: both. */
export type Sign = 1 | -1 | 0;

export function readStatement(seat: string, text: string): Statement {
  const tokens = tokensOf(text.normalize("NFKC"));
  const denied = deniedTokens(tokens);
  const approves = approvalOf(tokens, denied);
  const signs = new Map<string, Sign>();
  const sides = new Map<string, Sign>();
  const content = tokens.filter((token) => isContent(token) && !isApproval(token));
  for (const token of content) {
    if (token.kind === "figure") continue;
    const key = token.entry?.concept ?? token.key;
    const side = token.entry?.side ?? 1;
    note(sides, key, side);
    note(signs, key, product(side, product(denied.has(token) ? -1 : 1, approves)));
  }
  const about = content.filter(({ entry }) => entry?.isLight !== true);
  const sequence = about.map(({ entry, key }) => entry?.concept ?? key);
  return {
    seat,
    text,
    terms: new Set(sequence),
    sequence,
    signs,
    sides,
    figures: about.flatMap(({ kind, key }) => (kind === "figure" ? [key] : [])),
    names: new Set(about.flatMap(({ isName, key }) => (isName === true ? [key] : []))),
    origins: originsOf(tokens, new Set(about)),
    words: new Map(about.map(({ key, word }) => [key, word])),
  };
}

function originsOf(tokens: readonly Token[], about: ReadonlySet<Token>): ReadonlySet<string> {
  const origins = new Set<string>();
  for (const [at, { kind }] of tokens.entries()) {
    if (kind !== "origin") continue;
    const next = tokens.slice(at + 1).find((token) => token.kind === "break" || about.has(token));
    if (next !== undefined && next.kind !== "break") origins.add(next.entry?.concept ?? next.key);
  }
  return origins;
}

function note(signs: Map<string, Sign>, key: string, sign: 1 | -1): void {
  const known = signs.get(key);
  signs.set(key, known === undefined || known === sign ? sign : 0);
}

function product(one: 1 | -1, other: 1 | -1): 1 | -1 {
  return one === other ? 1 : -1;
}

function isContent({ kind }: Token): boolean {
  return kind === "word" || kind === "figure";
}

function isApproval({ entry }: Token): boolean {
  return entry?.concept === approvalConcept;
}

/** What is denied: in each clause what follows the first word that denies, or where nothing does what stands before it. */
function deniedTokens(tokens: readonly Token[]): ReadonlySet<Token> {
  const denied = new Set<Token>();
  let isNextDenied = false;
  for (const clause of clausesOf(tokens)) {
    const scope: Token[] = isNextDenied ? clause.filter(isContent) : [];
    isNextDenied = false;
    const first = clause.findIndex(({ kind }) => kind === "denies_after");
    const last = clause.findLastIndex(({ kind }) => kind === "denies_before");
    if (first >= 0) {
      const after = clause.slice(first + 1).filter(isContent);
      const around = after.length > 0 ? after : clause.filter(isContent);
      isNextDenied = around.length === 0;
      scope.push(...around);
    }
    const replacing = clause.findIndex(({ kind }) => kind === "replaces");
    if (replacing >= 0)
      scope.push(
        ...clause
          .slice(replacing + 1)
          .filter(isContent)
          .slice(0, 1),
      );
    if (last >= 0) scope.push(...clause.slice(0, last).filter(isContent));
    // "Not a mistake" denies the mistake, and nothing else.
    const approvals = scope.filter(isApproval);
    for (const token of approvals.length > 0 ? approvals : scope) denied.add(token);
  }
  return denied;
}

function clausesOf(tokens: readonly Token[]): Token[][] {
  const clauses: Token[][] = [[]];
  for (const token of tokens) {
    if (token.kind === "break") clauses.push([]);
    else clauses.at(-1)?.push(token);
  }
  return clauses;
}

/** Whether the whole of it is affirmed: "a mistake" and "not right" turn it round, "not a mistake" doesn't. */
function approvalOf(tokens: readonly Token[], denied: ReadonlySet<Token>): 1 | -1 {
  let approves: 1 | -1 = 1;
  for (const token of tokens) {
    if (!isApproval(token)) continue;
    const isAgainst = (token.entry?.side === -1) !== denied.has(token);
    if (isAgainst) approves = approves === 1 ? -1 : 1;
  }
  return approves;
}

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

/** What all of a position is about. */
export function termsOf(text: string): ReadonlySet<string> {
  return new Set(sentences(text).flatMap((sentence) => readStatement("", sentence).sequence));
}

export type Relation = "same" | "opposite" | "figures" | "names" | "unrelated";

/**
 * What two statements of the same things have to do with each other.
 * - `opposite`: one denies what the other says, or takes the other side ("raise" and "lower", "right" and "a mistake");
 * - `figures`: each has a number or a date that the other hasn't;
 * - `names`: each names something that the other doesn't, or they are the same but for a word, or say of one thing what the other says of
 *   another ("from A to B", "A leads, B tests").
 * @param least from which share of common terms on they are of the same things
 * @example relationOf(one("We should migrate in May."), other("We should not migrate in May.")) // "opposite"
 */
export function relationOf(one: Statement, other: Statement, least = sameSubject): Relation {
  if (likeness(one.terms, other.terms) < least) return "unrelated";
  if (areOpposed(one, other)) return "opposite";
  if (eachHasMore(one.figures, other.figures)) return "figures";
  const isSwapped = fromElsewhere(one, other) || areSwapped(one, other);
  return isSwapped || differInNames(one, other) || differInAWord(one, other) ? "names" : "same";
}

function areOpposed(one: Statement, other: Statement): boolean {
  let isDenied = false;
  let isDeniedByBoth = false;
  for (const [key, sign] of one.signs) {
    const theirs = other.signs.get(key);
    if (theirs === undefined || theirs === 0 || sign === 0) continue;
    if (key.startsWith("@") && sign !== theirs) return true;
    if (sign !== theirs) isDenied = true;
    // "Not raise" and "lower" are on one side, although one of them denies; and two that deny needn't deny the same words.
    else if (sign !== one.sides.get(key) || theirs !== other.sides.get(key)) isDeniedByBoth = true;
  }
  return (isDenied && !isDeniedByBoth) || turns(one, other) || turns(other, one);
}

/** Whether a word of the one is a word of the other with a beginning that turns it round: "possible" and "impossible". */
function turns(one: Statement, other: Statement): boolean {
  for (const [key, word] of one.words) {
    if (other.signs.has(key)) continue;
    const plain = withoutTurning(word).find((rest) => other.signs.has(rest) && !one.signs.has(rest));
    if (plain !== undefined && one.signs.get(key) === other.signs.get(plain)) return true;
  }
  return false;
}

/** Whether each has something that the other hasn't, as often. */
function eachHasMore(one: readonly string[], other: readonly string[]): boolean {
  return without(one, other).length > 0 && without(other, one).length > 0;
}

function without(one: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return one.filter((item) => {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function differInNames(one: Statement, other: Statement): boolean {
  const own = (names: Statement["names"], { terms, words }: Statement) =>
    [...names].filter((name) => !terms.has(name) && ![...words.values()].some((word) => formLikeness(name, word) > 0));
  return own(one.names, other).length > 0 && own(other.names, one).length > 0;
}

/** Whether what the one comes from, or is measured by, is something else of the other, and the other way round. */
function fromElsewhere(one: Statement, other: Statement): boolean {
  const own = (a: Statement, b: Statement) => [...a.origins].some((key) => !b.origins.has(key) && b.terms.has(key));
  return own(one, other) && own(other, one);
}

/** Whether two names or figures stand each by the word by which the other one stands there. */
function areSwapped(one: Statement, other: Statement): boolean {
  const held = [...new Set([...one.names, ...other.names, ...one.figures, ...other.figures])].filter(
    (key) => one.terms.has(key) && other.terms.has(key),
  );
  const besides = ({ sequence }: Statement) =>
    new Map(held.map((key) => [key, wordBeside(sequence, key, held)] as const));
  const [mine, theirs] = [besides(one), besides(other)];
  return held.some((first, at) =>
    held.slice(at + 1).some((second) => {
      const [own, next] = [mine.get(first), mine.get(second)];
      return own !== undefined && own !== next && own === theirs.get(second) && next === theirs.get(first);
    }),
  );
}

/** The word after a name or a figure; where it is the last, the one before. */
function wordBeside(sequence: readonly string[], key: string, held: readonly string[]): string | undefined {
  const at = sequence.indexOf(key);
  const isWord = (term: string) => !held.includes(term);
  return sequence.slice(at + 1).find(isWord) ?? sequence.slice(0, at).findLast(isWord);
}

/** So many words, or letters of a script without spaces, may another stand for. */
const longestSwap = 2;
const longestUnspacedSwap = 4;
const unspaced = /^[\p{Script=Han}\p{Script=Katakana}ー]/u;

/** Whether they are the same but for one place, at which something else stands: "the cache" and "the queue". */
function differInAWord(one: Statement, other: Statement): boolean {
  const [first, second] = [one.sequence, other.sequence];
  let start = 0;
  while (start < first.length && start < second.length && first[start] === second[start]) start += 1;
  let end = 0;
  const most = Math.min(first.length, second.length) - start;
  while (end < most && first[first.length - 1 - end] === second[second.length - 1 - end]) end += 1;
  const [instead, of] = [first.slice(start, first.length - end), second.slice(start, second.length - end)];
  if (instead.length === 0 || of.length === 0) return false;
  const longest = [...instead, ...of].every((key) => unspaced.test(key)) ? longestUnspacedSwap : longestSwap;
  if (Math.max(instead.length, of.length) > longest) return false;
  const wordsOf = (statement: Statement, keys: readonly string[]) => keys.map((key) => statement.words.get(key) ?? key);
  const theirs = wordsOf(other, of);
  return (
    !instead.some((key) => of.includes(key)) &&
    !wordsOf(one, instead).some((word) => theirs.some((their) => formLikeness(word, their) > 0))
  );
}
