/** What stands beside a number: whether it belongs to a word, and which words announce it. */
import { leftContext } from "../detector.js";

/** A row of a table of facts: where the fact is from, what it finds, and what looks like it and is not. */
export interface Evidence {
  readonly source: string;
  readonly example: string;
  readonly counterExample: string;
}

/** Scripts that are written without spaces, or that put endings straight after a number: their letters are no part of it. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
const partOfWord = /[\p{L}\p{N}_#]/u;

/** Whether a character beside a number makes it a part of a longer word. */
export function isPartOfWord(character: string): boolean {
  return partOfWord.test(character) && !unspaced.test(character);
}

/** Whether a letter belongs to a script that is written without spaces. */
export function isUnspaced(character: string): boolean {
  return unspaced.test(character);
}

/** What stands before `start`, as far as a scanner keeps it; the same however a stream is cut. */
export function leftOf(text: string, start: number): string {
  return text.slice(Math.max(0, start - leftContext), start);
}

/**
 * Looks for words before a number, in lower-case text. A `*` at a word's end stands for an ending; between the words of
 * an expression anything but letters may stand. Words of scripts without spaces are found inside others.
 */
export class WordTable {
  private readonly whole = new Set<string>();
  private readonly stems = new Set<string>();
  private readonly unspaced: string[] = [];

  constructor(words: readonly string[]) {
    for (const word of words) {
      const plain = word.replace("*", "");
      if (isUnspaced(plain.charAt(0))) this.unspaced.push(plain);
      else (word.endsWith("*") ? this.stems : this.whole).add(plain);
    }
  }

  /** Where the last of the words ends in a text; -1 if there is none. */
  endOfLast(text: string): number {
    let end = -1;
    let [secondLast, last] = ["", ""];
    for (const { 0: word, index } of text.replace(unspacedRun, (run) => " ".repeat(run.length)).matchAll(letters)) {
      if ([word, `${last} ${word}`, `${secondLast} ${last} ${word}`].some((some) => this.has(some)))
        end = index + word.length;
      [secondLast, last] = [last, word];
    }
    for (const word of unspaced.test(text) ? this.unspaced : []) {
      const at = text.lastIndexOf(word);
      if (at >= 0) end = Math.max(end, at + word.length);
    }
    return end;
  }

  private has(word: string): boolean {
    if (this.whole.has(word)) return true;
    for (let length = 2; length <= word.length; length++) if (this.stems.has(word.slice(0, length))) return true;
    return false;
  }
}

const unspacedRun = new RegExp(`${unspaced.source}+`, "gu");
const letters = /[\p{L}\p{M}]+/gu;
