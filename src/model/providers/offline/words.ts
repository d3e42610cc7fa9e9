/** Words as the offline model compares them: those of `text`, and without the words by which people merely ask. */
import { stem } from "../../../text/stemmer.js";
import { plainWords } from "../../../text/tokenizer.js";
import { requestWords, stopWords } from "../../../text/vocabulary.js";

export { sharedTerms as overlap } from "../../../text/overlap.js";
export { identifierWords, sentences, shorten } from "../../../text/passages.js";
export { stem } from "../../../text/stemmer.js";
export { plainWords as words } from "../../../text/tokenizer.js";

/** The words of a text that carry meaning, in order, repetitions left out. */
export function contentWords(text: string): string[] {
  return [...new Set(plainWords(text))].filter(
    (word) => !stopWords.has(word) && !requestWords.has(word) && !/^[a-z]$/.test(word),
  );
}

/** The stems of the words that carry meaning. */
export function stems(text: string): ReadonlySet<string> {
  return new Set(contentWords(text).map(stem));
}
