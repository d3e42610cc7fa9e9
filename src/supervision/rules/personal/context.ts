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
  return partOfWord.test(character) && !isUnspaced(character);
}

/** Whether a letter belongs to a script that is written without spaces. */
export function isUnspaced(character: string): boolean {
  return !asciiOnly.test(character) && unspaced.test(character);
}

const asciiOnly = /^[\0-\x7f]*$/;

/** What stands before `start`, as far as a scanner keeps it; the same however a stream is cut. */
export function leftOf(text: string, start: number): string {
  return text.slice(Math.max(0, start - leftContext), start);
}

/** A text in lower case, cut into words, in which any number of tables can look. */
export interface Words {
  readonly text: string;
  readonly isAscii: boolean;
  readonly words: readonly RegExpExecArray[];
}

export function wordsOf(text: string): Words {
  const lower = text.toLowerCase();
  if (asciiOnly.test(lower)) return { text: lower, isAscii: true, words: Array.from(lower.matchAll(asciiLetters)) };
  const spaced = lower.replace(unspacedRun, (run) => " ".repeat(run.length));
  return { text: lower, isAscii: false, words: Array.from(spaced.matchAll(letters)) };
}

/**
 * Looks for words before a number. A `*` at a word's end stands for an ending; between the words of
 * an expression anything but letters may stand. Words of scripts without spaces are found inside others.
 */
export class WordTable {
  private readonly whole = new Set<string>();
  private readonly stems = new Set<string>();
  private readonly stemLengths: readonly number[];
  private readonly unspaced: string[] = [];
  /** The last words of expressions of several words, without their endings. */
  private readonly lastOfSeveral: readonly string[];

  constructor(words: readonly string[]) {
    for (const word of words) {
      const plain = word.replace("*", "");
      if (isUnspaced(plain.charAt(0))) this.unspaced.push(plain);
      else (word.endsWith("*") ? this.stems : this.whole).add(plain);
    }
    const several = [...this.whole, ...this.stems].filter((word) => word.includes(" "));
    this.stemLengths = [...new Set(Array.from(this.stems, (stem) => stem.length))];
    this.lastOfSeveral = [...new Set(several.map((word) => word.slice(word.lastIndexOf(" ") + 1)))];
  }

  /** Where the last of the words ends in a text; -1 if there is none. */
  endOfLast({ text, isAscii, words }: Words): number {
    let end = -1;
    // The nearest word counts, so the search goes backwards.
    for (let at = words.length - 1; at >= 0 && end < 0; at--) {
      const [word, previous, first] = [words[at]?.[0] ?? "", words[at - 1]?.[0] ?? "", words[at - 2]?.[0] ?? ""];
      if (this.has(word) || this.endsSeveral(first, previous, word)) end = (words[at]?.index ?? 0) + word.length;
    }
    for (const word of isAscii || !unspaced.test(text) ? [] : this.unspaced) {
      const at = text.lastIndexOf(word);
      if (at >= 0) end = Math.max(end, at + word.length);
    }
    return end;
  }

  private endsSeveral(first: string, previous: string, word: string): boolean {
    if (!this.lastOfSeveral.some((last) => word.startsWith(last))) return false;
    return this.has(`${previous} ${word}`) || this.has(`${first} ${previous} ${word}`);
  }

  private has(word: string): boolean {
    return this.whole.has(word) || this.stemLengths.some((length) => this.stems.has(word.slice(0, length)));
  }
}

const unspacedRun = new RegExp(`${unspaced.source}+`, "gu");
const letters = /[\p{L}\p{M}]+/gu;
const asciiLetters = /[A-Za-z]+/g;
