/**
 * Whether two questions ask for the same thing, as far as their words show it. It errs on the side of "different": asking twice
 * costs an answer, taking one question for another costs the right one.
 */
import { likeness, sharedTerms, termSet } from "./overlap.js";
import { fold, plainWords, tokenize, wordTerm } from "./tokenizer.js";
import { isBeyondEnglish } from "./variants.js";
import { requestWords } from "./vocabulary.js";

function words(list: string): readonly string[] {
  return list.trim().split(/\s+/);
}

/** Words that ask and don't say what for. */
const askingTerms: ReadonlySet<string> = new Set(
  [
    ...requestWords,
    ...words(`number count amount figure exact exactly current currently detail details info information please provide
      share list name state explain describe specify clarify confirm need needed available relevant`),
  ].map(wordTerm),
);

/** Small words that turn a question into another: search leaves them out, here they have to be the same. */
const turningWords: ReadonlySet<string> = new Set(
  words(`not no nor never without except unless before after since until above below over under more most less least
    fewer out off when why who whom whose where how`),
);

/** Words that give an order to what stands beside them. */
const directedWords: ReadonlySet<string> = new Set(words("from into than"));

/**
 * From 0 to 1: the share of their terms that the questions have in common. 0 as soon as both name something that the other doesn't
 * ("in March", "in April"), or differ in a number, a name, a negation or what is asked for (when, why, who). Questions in
 * other languages than English need the same terms.
 * @example questionLikeness("What's our monthly infrastructure budget?", "What is the monthly budget for infrastructure?") // 1
 */
export function questionLikeness(one: string, other: string): number {
  const [first, second] = [readQuestion(one), readQuestion(other)];
  if (first.words === second.words) return 1;
  const value = likeness(first.terms, second.terms);
  if (value === 0 || !isWithin(first.terms, second.terms)) return 0;
  if (first.turns !== second.turns || (value < 1 && !isSame(first.names, second.names))) return 0;
  if ((first.isDirected || second.isDirected) && first.order !== second.order) return 0;
  return value < 1 && (isBeyondEnglish(one) || isBeyondEnglish(other)) ? 0 : value;
}

function readQuestion(text: string) {
  const plain = plainWords(fold(text));
  const contracted = /n['’]t\b/i.test(text) ? ["not"] : [];
  // "How many" asks like "what": for a figure.
  const turning = plain.filter((word, at) => word !== "how" || !/^(?:many|much)$/.test(plain[at + 1] ?? ""));
  const all = termSet(text);
  const content = new Set([...all].filter((term) => !askingTerms.has(term)));
  // A question of nothing but asking words is about those.
  const terms = content.size === 0 ? all : content;
  return {
    words: plain.join(" "),
    terms,
    turns: [...new Set([...turning.filter((word) => turningWords.has(word)), ...contracted])].sort().join(" "),
    names: namesIn(text),
    isDirected: plain.some((word) => directedWords.has(word)),
    order: tokenize(text)
      .map(({ term }) => term)
      .filter((term) => terms.has(term))
      .join(" "),
  };
}

/** Numbers, and words with a capital that doesn't just begin a sentence. */
function namesIn(text: string): ReadonlySet<string> {
  const named = text.matchAll(
    /\p{Lu}(?<=[^\s.!?:]\s{1,8}["'“(]?\p{Lu})[\p{L}\p{N}]*|(?<![\p{L}\p{N}_])(?:\p{L}*\p{N}[\p{L}\p{N}]*|\p{Lu}{2,}(?![\p{L}\p{N}_]))/gu,
  );
  return new Set([...named].flatMap(([name]) => tokenize(name).map(({ term }) => term)));
}

/** Whether one of the sets holds all of the other. */
function isWithin(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return sharedTerms(one, other) === Math.min(one.size, other.size);
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && isWithin(one, other);
}
