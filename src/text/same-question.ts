/** Whether two questions ask the same, by their words: cheap, deterministic, and careful. */
import { plainWords, wordTerm } from "./tokenizer.js";

/** The share of words that two questions have to have in common to be the same one. */
const questionLikeness = 0.7;

/**
 * The same words, or nearly: one has all that the other says (inflections and order don't count), and seven tenths of all their
 * words stand in both. A word in the place of another, or a number that differs, makes another question.
 * @example isSameQuestion("Which order is it about?", "Which order is it about, please?") // true
 * @example isSameQuestion("What of order 17?", "What of order 18?") // false
 */
export function isSameQuestion(one: string, other: string): boolean {
  const [left, right] = [terms(one), terms(other)];
  const shared = [...left].filter((term) => right.has(term)).length;
  if (shared < Math.min(left.size, right.size)) return false;
  const all = left.size + right.size - shared;
  return all > 0 && shared / all >= questionLikeness && numbers(left) === numbers(right);
}

function terms(text: string): ReadonlySet<string> {
  return new Set(plainWords(text).map(wordTerm));
}

function numbers(words: ReadonlySet<string>): string {
  return [...words]
    .filter((word) => /\p{N}/u.test(word))
    .toSorted()
    .join(" ");
}
