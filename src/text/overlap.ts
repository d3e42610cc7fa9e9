/** Overlap of texts by their words: cheap, deterministic, and no more than that. The words are those of search. */
import { tokenize } from "./tokenizer.js";

/** The terms of a text, each once: inflections share one ("orders", "ordered" and "order"). */
export function termSet(text: string): ReadonlySet<string> {
  return new Set(tokenize(text).map(({ term }) => term));
}

/** How many of the one's terms the other has too. */
export function sharedTerms(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let count = 0;
  for (const term of one) if (other.has(term)) count += 1;
  return count;
}

/** How much two sets of terms have in common (Dice): from 0 (nothing) to 1 (they are equal). Two empty sets have nothing. */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return one.size + other.size === 0 ? 0 : (2 * sharedTerms(one, other)) / (one.size + other.size);
}

/**
 * Returns of any text the share of the query's terms that it has too: from 0 (none) to 1 (all). The query is read once.
 * @example coverageOf("lost parcel")("Where is my parcel?") // 0.5
 */
export function coverageOf(query: string): (text: string) => number {
  const queryTerms = termSet(query);
  return (text) => (queryTerms.size === 0 ? 0 : sharedTerms(queryTerms, termSet(text)) / queryTerms.size);
}

/** Whether all the words of a phrase stand in a text, whatever their case and endings, and however they are joined. */
export function mentions(text: ReadonlySet<string>, phrase: string): boolean {
  const terms = termSet(phrase.replace(/[-_/]/g, " "));
  return terms.size > 0 && sharedTerms(terms, text) === terms.size;
}
