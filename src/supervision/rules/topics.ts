import { wordTerm } from "../../text/tokenizer.js";
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

/** A word as search indexes it, without the endings "-en" and "-er" either, which German and Dutch plurals have. */
function topicTerm(word: string): string {
  const term = wordTerm(word);
  return term.length > 5 ? term.replace(/(?:en|er)$/, "") : term;
}

/** Whether any word of a topic can be looked for at all. */
export function hasWords(topic: string): boolean {
  return fold(topic).match(wordPattern) !== null;
}

/** A function that tells whether a text is about any of some topics. */
export function topicFinder(topics: readonly string[]): (text: string) => boolean {
  const needs = topics.map((topic) => {
    const words = fold(topic).match(wordPattern) ?? [];
    const unspaced = words.filter((word) => unspacedScript.test(word));
    return { unspaced, stems: words.filter((word) => !unspacedScript.test(word)).map(topicTerm) };
  });
  return (text) => {
    const folded = fold(text);
    const stems = new Set(Array.from(folded.match(wordPattern) ?? [], topicTerm));
    return needs.some((need) => {
      return need.stems.every((word) => stems.has(word)) && need.unspaced.every((word) => folded.includes(word));
    });
  };
}
