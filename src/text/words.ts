/** Likeness of texts by their words: enough to pick tools and to match skills, without a model. The words are those of retrieval. */
import { tokenize } from "./tokenizer.js";

/** The words that say something, in a form that their inflections share ("orders", "ordered" and "order" are one). */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(tokenize(text).map(({ term }) => term));
}

export function sharedWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let count = 0;
  for (const word of a) if (b.has(word)) count++;
  return count;
}

/** Whether all the words of a phrase stand in a text, whatever their case and endings, and however they are joined. */
export function mentions(text: ReadonlySet<string>, phrase: string): boolean {
  const words = wordsOf(phrase.replace(/[-_/]/g, " "));
  return words.size > 0 && sharedWords(words, text) === words.size;
}
