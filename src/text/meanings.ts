/**
 * Tells which meanings of the table a word may have, in whatever language it is: "refund", "Erstattung" and "remboursement" have
 * one in common. A word with several of them ("mai" is May in one language and never in another) has them all.
 */
import { lazily } from "./lazily.js";
import { meaningTable } from "./meaning-table.js";
import { fold, wordTerm } from "./tokenizer.js";

/** Beginnings with fewer letters count as whole words only. */
const leastBeginning = 4;
/** The same for scripts whose letters are consonants. */
const leastOfDense = 3;
/** What may follow a beginning: inflections and the second half of a compound. */
const mostEnding = 10;
/** The same for a word that is English by its form too: a plural, a case. "Termine" are appointments, "terminate" isn't one. */
const mostEndingOfEnglish = 2;
/** Longest beginning in a script without spaces. */
const mostUnspaced = 6;
const dense = /[\p{Script=Arabic}\p{Script=Devanagari}]/u;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Arabic's article, "and", "with" and "for", which are written with the word that follows. */
const arabicPrefixes = /^(?:[وبل]?ال|لل|[وبل])(?=.{3})/u;

type Numbers = readonly number[];
const none: Numbers = [];

interface Lexicon {
  /** English words by their terms: their inflections are known. */
  readonly english: ReadonlyMap<string, Numbers>;
  readonly beginnings: ReadonlyMap<string, Numbers>;
}

const lexicon = lazily((): Lexicon => {
  const english = new Map<string, number[]>();
  const beginnings = new Map<string, number[]>();
  for (const [meaning, line] of meaningTable.trim().split("\n").entries()) {
    const [, words = "", ...others] = line.split(" | ");
    for (const word of words.split(" ")) addTo(english, wordTerm(word), meaning);
    for (const word of others.join(" ").split(" ")) addTo(beginnings, fold(word), meaning);
  }
  return { english, beginnings };
});

function addTo(map: Map<string, number[]>, key: string, meaning: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [meaning]);
  else if (!known.includes(meaning)) known.push(meaning);
}

/**
 * The meanings of a word, as the numbers of their lines in the table; of a script without spaces, those of all words in a run.
 * @param word in lower case, without spaces
 */
export function meaningsOf(word: string): Numbers {
  const { english, beginnings } = lexicon();
  const folded = fold(word);
  if (unspaced.test(folded)) return meaningsIn(folded, beginnings);
  const inEnglish = english.get(wordTerm(word));
  if (inEnglish === undefined) return beginningOf(folded, beginnings);
  const inOthers = longestBeginning(folded, Math.max(leastBeginning, folded.length - mostEndingOfEnglish), beginnings);
  return inOthers.length === 0 ? inEnglish : [...new Set([...inEnglish, ...inOthers])];
}

function beginningOf(folded: string, beginnings: Lexicon["beginnings"]): Numbers {
  if (!dense.test(folded)) return longestBeginning(folded, leastBeginning, beginnings);
  const whole = longestBeginning(folded, leastOfDense, beginnings);
  return whole.length > 0 ? whole : longestBeginning(folded.replace(arabicPrefixes, ""), leastOfDense, beginnings);
}

function longestBeginning(folded: string, least: number, beginnings: Lexicon["beginnings"]): Numbers {
  const whole = beginnings.get(folded);
  if (whole !== undefined) return whole;
  for (let length = folded.length - 1; length >= Math.max(least, folded.length - mostEnding); length -= 1) {
    const found = beginnings.get(folded.slice(0, length));
    if (found !== undefined) return found;
  }
  return none;
}

/** Reads a run of letters from left to right, the longest word first. */
function meaningsIn(run: string, beginnings: Lexicon["beginnings"]): Numbers {
  const found = new Set<number>();
  for (let from = 0; from < run.length; ) {
    let length = Math.min(mostUnspaced, run.length - from);
    let meanings: Numbers | undefined;
    while (length > 0) {
      meanings = beginnings.get(run.slice(from, from + length));
      if (meanings !== undefined) break;
      length -= 1;
    }
    for (const meaning of meanings ?? none) found.add(meaning);
    from += Math.max(1, length);
  }
  return [...found];
}
