/**
 * What a text has in common with others, as numbers: its words, pairs of words, letter runs and meanings, each hashed, with how
 * much it has of each. For comparing many short texts in little memory.
 */
import { meaningsOf } from "./meanings.js";
import { fold, wordTerm } from "./tokenizer.js";

/**
 * What a word, a pair of words, a meaning, two meanings that follow one another, and two of a text in any order are worth; the
 * last is shared by all such pairs of the text. A wide plateau: half or twice as much changes little.
 */
const featureWeights = { word: 1, pair: 0.7, meaning: 4, meaningPair: 1, together: 2 };
/** What a run is worth, by its letters. */
const runWeights: readonly number[] = [0, 0, 0.4, 0.5, 0.5];
/** Words of a text that are read: what it is about shows in its beginning. */
const maxWords = 400;
/** Meanings of a text that are paired. */
const maxTogether = 12;
/** Letters of a word whose runs are read. */
const maxLetters = 40;

/** Which features are read. */
export interface FeatureOptions {
  /** Lengths of the letter runs: of 2, 3 and 4. */
  readonly runs: readonly number[];
  /** Most features of a text; the words after that are left out. */
  readonly most: number;
  /** Words, and letters of scripts without spaces, that were read before. */
  readonly words: Map<string, WordFeatures>;
}

/** A word by itself: its term, hashed, its meanings, and the keys of the letter runs, each with what it is worth. */
export interface WordFeatures {
  readonly term: number;
  readonly meanings: readonly number[];
  readonly runs: readonly number[];
  readonly worth: readonly number[];
}

/** Vowel signs belong to their word. */
const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;
const unspacedLetters =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

const seeds = { word: 17, pair: 101, run: 1009, meaning: 2003, meaningPair: 3001, together: 4001, start: 7, end: 11 };

/** FNV-1a over one more number. */
function mixed(hash: number, value: number): number {
  return Math.imul(hash ^ value, 16_777_619);
}

function hashOf(text: string, seed: number): number {
  let hash = mixed(-2_128_831_035, seed);
  for (let at = 0; at < text.length; at += 1) hash = mixed(hash, text.charCodeAt(at));
  return hash;
}

/** 30 bits of a hash, and never 0. */
function keyOf(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 2 || 1;
}

function readWord(word: string, runs: readonly number[]): WordFeatures {
  const letters = `_${fold(word).slice(0, maxLetters)}_`;
  const keys: number[] = [];
  const worth: number[] = [];
  const longest = Math.max(...runs);
  for (let from = 0; from + 1 < letters.length; from += 1) {
    let hash = seeds.run;
    for (let size = 1; size <= longest && from + size <= letters.length; size += 1) {
      hash = mixed(hash, letters.charCodeAt(from + size - 1));
      if (!runs.includes(size)) continue;
      keys.push(keyOf(hash));
      worth.push(runWeights[size] ?? 0);
    }
  }
  return {
    term: hashOf(wordTerm(word), seeds.word),
    meanings: meaningsOf(word.slice(0, maxLetters)),
    runs: keys,
    worth,
  };
}

/** Reads a text's features, each as often as it stands there: its key and what it is worth. */
export function readFeatures(
  text: string,
  { runs, most, words }: FeatureOptions,
  visit: (key: number, worth: number) => void,
): void {
  const reader = new FeatureReader(most, visit);
  let left = maxWords;
  for (const [word] of text
    .slice(0, 20 * maxWords)
    .normalize("NFKC")
    .toLowerCase()
    .matchAll(wordPattern)) {
    const unspaced = unspacedLetters.test(word);
    // The letters are kept and not the runs, of which each is new.
    const parts = (unspaced ? lettersOf(word, left) : [word]).map((part) => {
      const read = words.get(part) ?? readWord(part, runs);
      words.set(part, read);
      return read;
    });
    const meanings = unspaced ? meaningsOf(word.slice(0, maxLetters)) : (parts[0]?.meanings ?? []);
    if (!parts.every((part) => reader.readWord(part)) || !reader.readMeanings(meanings)) break;
    left -= parts.length;
    if (left <= 0) break;
  }
  reader.end();
}

/** The first letters of a run, at most so many. */
function lettersOf(run: string, most: number): string[] {
  return [...run.slice(0, 2 * most)].slice(0, most);
}

/** Returns the features of one text on, as many as there may be. */
class FeatureReader {
  private before = seeds.start;
  private beforeMeaning: number | undefined;
  private readonly together: number[] = [];

  constructor(
    private left: number,
    private readonly visit: (key: number, worth: number) => void,
  ) {}

  /** @returns whether there was room for it */
  readWord({ term, runs, worth }: WordFeatures): boolean {
    this.left -= runs.length + 2;
    if (this.left < 1) return false;
    this.visit(keyOf(term), featureWeights.word);
    this.visit(keyOf(mixed(mixed(seeds.pair, this.before), term)), featureWeights.pair);
    for (let at = 0; at < runs.length; at += 1) this.visit(runs[at] ?? 0, worth[at] ?? 0);
    this.before = term;
    return true;
  }

  /** A word with several meanings has a share of each. @returns whether there was room for them */
  readMeanings(meanings: readonly number[]): boolean {
    this.left -= 2 * meanings.length;
    if (this.left < 1) return false;
    for (const meaning of meanings) {
      this.visit(keyOf(mixed(seeds.meaning, meaning)), featureWeights.meaning / Math.sqrt(meanings.length));
      if (this.beforeMeaning !== undefined)
        this.visit(keyOf(mixed(mixed(seeds.meaningPair, this.beforeMeaning), meaning)), featureWeights.meaningPair);
      if (this.together.length < maxTogether && !this.together.includes(meaning)) this.together.push(meaning);
    }
    this.beforeMeaning = meanings[0] ?? this.beforeMeaning;
    return true;
  }

  end(): void {
    if (this.before === seeds.start) return;
    this.visit(keyOf(mixed(mixed(seeds.pair, this.before), seeds.end)), featureWeights.pair);
    const worth = featureWeights.together / Math.sqrt(this.together.length);
    const sorted = this.together.toSorted((a, b) => a - b);
    for (const [at, first] of sorted.entries()) {
      for (const second of sorted.slice(at + 1)) {
        this.left -= 1;
        if (this.left < 1) return;
        this.visit(keyOf(mixed(mixed(seeds.together, first), second)), worth);
      }
    }
  }
}

/** Gives features numbers from 0 on: a hash table of two arrays, a tenth of what a Map takes. */
export class FeatureNumbers {
  private keys = new Int32Array(1024);
  private numbers = new Int32Array(1024);
  private count = 0;

  get size(): number {
    return this.count;
  }

  get bytes(): number {
    return this.keys.byteLength + this.numbers.byteLength;
  }

  /** The number of a feature, -1 if it has none. */
  find(key: number): number {
    const slot = this.slotOf(key);
    return this.keys[slot] === 0 ? -1 : (this.numbers[slot] ?? -1);
  }

  /** The number of a feature; a new one, if it has none. */
  add(key: number): number {
    let slot = this.slotOf(key);
    if (this.keys[slot] !== 0) return this.numbers[slot] ?? -1;
    if (4 * this.count >= 3 * this.keys.length) {
      this.grow();
      slot = this.slotOf(key);
    }
    this.keys[slot] = key;
    this.numbers[slot] = this.count;
    this.count += 1;
    return this.count - 1;
  }

  private slotOf(key: number): number {
    const last = this.keys.length - 1;
    let slot = key & last;
    while (this.keys[slot] !== 0 && this.keys[slot] !== key) slot = (slot + 1) & last;
    return slot;
  }

  private grow(): void {
    const { keys, numbers } = this;
    this.keys = new Int32Array(2 * keys.length);
    this.numbers = new Int32Array(2 * keys.length);
    for (let from = 0; from < keys.length; from += 1) {
      const key = keys[from] ?? 0;
      if (key === 0) continue;
      const slot = this.slotOf(key);
      this.keys[slot] = key;
      this.numbers[slot] = numbers[from] ?? 0;
    }
  }
}
