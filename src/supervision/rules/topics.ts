import { normalise } from "./normalise.js";

/**
 * Topics: a topic is a few words, and a text is about it when all of them occur in it, in any order, whatever their case,
 * accents and simple endings. Lexical: synonyms are topics of their own.
 */

/** Words of the scripts that are written without spaces are looked for anywhere in the text. */
const unspacedScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const wordPattern = /[\p{L}\p{N}]+/gu;
const mark = /\p{M}/gu;

const fold = (text: string): string => normalise(text).toLowerCase().normalize("NFD").replace(mark, "");

/** A word without its plural or verbal ending. Crude on purpose: it only has to do the same to both sides. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 5 && word.endsWith("ing")) return undouble(word.slice(0, -3));
  if (word.length > 4 && /(?:s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 4 && word.endsWith("ed")) return undouble(word.slice(0, -2));
  if (word.length > 3 && /[^su]s$/.test(word)) return withoutE(word.slice(0, -1));
  if (word.length > 5 && /(?:en|er)$/.test(word)) return undouble(word.slice(0, -2));
  return withoutE(word);
}

const undouble = (word: string): string => withoutE(/([bdgmnprt])\1$/.test(word) ? word.slice(0, -1) : word);
const withoutE = (word: string): string => (word.length > 3 && word.endsWith("e") ? word.slice(0, -1) : word);

/** Whether any word of a topic can be looked for at all. */
export function hasWords(topic: string): boolean {
  return fold(topic).match(wordPattern) !== null;
}

/** A function that tells whether a text is about any of some topics. */
export function topicFinder(topics: readonly string[]): (text: string) => boolean {
  const needs = topics.map((topic) => {
    const words = fold(topic).match(wordPattern) ?? [];
    const unspaced = words.filter((word) => unspacedScript.test(word));
    return { unspaced, stems: words.filter((word) => !unspacedScript.test(word)).map(stem) };
  });
  return (text) => {
    const folded = fold(text);
    const stems = new Set(Array.from(folded.match(wordPattern) ?? [], stem));
    return needs.some((need) => {
      return need.stems.every((word) => stems.has(word)) && need.unspaced.every((word) => folded.includes(word));
    });
  };
}
