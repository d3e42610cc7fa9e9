/**
 * Reads a statement for comparing it with others: what it is about, what it denies, its figures and dates, the names in it. It knows the
 * words of ten languages (`vocabulary.ts`); of any other language it knows terms, figures and names in capitals.
 * @example readStatement("ben", "We shouldn't migrate in May.").signs.get("migra") // -1
 */
import { approvalConcept } from "./lexicon.js";
import { type Token, tokensOf } from "./statement-tokens.js";

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
    words: new Map(about.map(({ key, word }) => [key, word])),
  };
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
