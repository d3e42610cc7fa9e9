/**
 * The lexicon of the injection guard: which concepts ("set aside", "hidden prompt", "password") stand where in a sentence,
 * in all its languages at once. A word of a script with spaces begins where a word begins; of others it may stand anywhere.
 */
import { lazily } from "../../../text/lazily.js";
import { readTable } from "../../../text/table.js";
import type { FoldedText } from "./fold.js";
import { foldText, isBordered } from "./fold.js";
import { formTerms } from "./terms-forms.js";
import { orderTerms } from "./terms-orders.js";
import { personaTerms } from "./terms-personas.js";
import { secretTerms } from "./terms-secrets.js";

/** Every concept, in an order that the trained weights rely on. */
export const allConcepts = [
  ...(["aside", "prior", "orders", "obey", "newTask"] as const),
  ...(["request", "reveal", "prompt", "secret", "personal", "share", "send"] as const),
  ...(["youAre", "noLimits", "machine", "mode", "authority", "pressure", "fiction", "harm"] as const),
  ...(["begin", "disguise", "noRefusal", "twice", "conceal", "parts", "reader", "material", "markup", "mine"] as const),
] as const;
export type Concept = (typeof allConcepts)[number];

/** The words of a concept in one language. */
export interface TermRow {
  readonly concept: string;
  readonly language: string;
  readonly words: readonly string[];
}

export const termRows = (table: string): readonly TermRow[] =>
  readTable(table, (concept, language, words) => ({ concept, language, words: words.split("|") }));

export const allTerms = lazily(() => [orderTerms, secretTerms, personaTerms, formTerms].flatMap(termRows));

/** A word of a concept at a place of the folded text. */
export interface Hit {
  /** Index in the lexicon's list of concepts, {@link allConcepts} if it was given no other. */
  readonly concept: number;
  readonly start: number;
  readonly end: number;
}

interface Term {
  readonly concept: number;
  readonly word: string;
  readonly isWhole: boolean;
}

/** Looks up words by their first characters: one step for each place at which a word may begin. */
export class Lexicon {
  /** Words by their first five characters, three or two, as many as they have. */
  private readonly byFive = emptySlots();
  private readonly byThree = emptySlots();
  private readonly byTwo = emptySlots();
  /** Marks the slots of the first two and the first three characters of words: most places need no more. */
  private readonly begins = new Uint8Array(slotCount);
  private readonly goesOn = new Uint8Array(slotCount);
  /** All words in order; only a stream needs them. */
  private sorted: readonly string[] | undefined;

  /** @param concepts whose words they are; the place of one in the list is the number that its hits have */
  constructor(rows: readonly TermRow[] = allTerms(), concepts: readonly string[] = allConcepts) {
    for (const [index, name] of concepts.entries())
      for (const { concept, words } of rows) if (concept === name) for (const word of words) this.add(index, word);
  }

  private add(concept: number, written: string): void {
    const isWhole = written.endsWith("$");
    // In the tables `|` parts words, so a bar of a word is written `¦`.
    const plain = isWhole ? written.slice(0, -1) : written;
    const word = foldedWords.test(plain) ? plain : foldText(plain.replaceAll("¦", "|")).text;
    this.begins[slotOfTwo(word, 0)] = 1;
    if (word.length > 2) this.goesOn[slotOfThree(word, 0)] = 1;
    const [index, slot] =
      word.length > 4
        ? [this.byFive, slotOfFive(word, 0)]
        : word.length > 2
          ? [this.byThree, slotOfThree(word, 0)]
          : [this.byTwo, slotOfTwo(word, 0)];
    const terms = index[slot];
    if (terms === undefined) index[slot] = [{ concept, word, isWhole }];
    // Languages share words.
    else if (!terms.some((term) => term.word === word && term.concept === concept && term.isWhole === isWhole))
      terms.push({ concept, word, isWhole });
  }

  /** All words of the lexicon in a text, by their start. */
  find({ text }: FoldedText): Hit[] {
    const hits: Hit[] = [];
    let before = false;
    for (let at = 0; at + 1 < text.length; at++) {
      const inWord = isBordered(text.charCodeAt(at));
      if (!(inWord && before)) {
        const two = slotOfTwo(text, at);
        if (this.begins[two] === 1) {
          const three = slotOfThree(text, at);
          if (this.goesOn[three] === 1) {
            this.collect(this.byFive[slotOfFive(text, at)], text, at, hits);
            this.collect(this.byThree[three], text, at, hits);
          }
          this.collect(this.byTwo[two], text, at, hits);
        }
      }
      before = inWord;
    }
    return hits;
  }

  private collect(terms: readonly Term[] | undefined, text: string, start: number, hits: Hit[]): void {
    if (terms === undefined) return;
    for (const { concept, word, isWhole } of terms) {
      if (!text.startsWith(word, start)) continue;
      const end = start + word.length;
      if (isWhole && goesOn(text.charCodeAt(end))) continue;
      hits.push({ concept, start, end });
    }
  }

  /** Where, at the end of a text, a word of the lexicon may have begun that is not finished. */
  unfinished({ text }: FoldedText): number | undefined {
    for (let at = Math.max(0, text.length - longestTerm); at < text.length; at++) {
      const inWord = isBordered(text.charCodeAt(at));
      if (inWord && at > 0 && isBordered(text.charCodeAt(at - 1))) continue;
      if (at + 1 < text.length && this.begins[slotOfTwo(text, at)] === 0) continue;
      if (this.isBeginning(text.slice(at))) return at;
    }
    return undefined;
  }

  private isBeginning(start: string): boolean {
    this.sorted ??= [this.byFive, this.byThree, this.byTwo]
      .flatMap((index) => index.flatMap((terms) => terms?.map(({ word }) => word) ?? []))
      .sort();
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sorted[middle] ?? "") < start) low = middle + 1;
      else high = middle;
    }
    return this.sorted[low]?.startsWith(start) ?? false;
  }
}

/** Whether a word goes on with a unit. Arabic joins articles before words, but a whole word ends where its letters end. */
const goesOn = (unit: number): boolean => isBordered(unit) || (unit >= 0x620 && unit <= 0x6d3);
/** Words that folding leaves as they are: most of the lexicon. */
const foldedWords = /^[a-z']{2,}(?: [a-z']{2,})*$/;
/** The most units a word of the lexicon has; a test checks it. */
const longestTerm = 48;
const slotCount = 32_768;
const emptySlots = (): (Term[] | undefined)[] => new Array<Term[] | undefined>(slotCount).fill(undefined);
/** Words of other beginnings in a slot cost a comparison and nothing else. */
const slotOfTwo = (text: string, at: number): number =>
  (text.charCodeAt(at) * 251 + text.charCodeAt(at + 1)) & (slotCount - 1);
const slotOfThree = (text: string, at: number): number =>
  Math.imul((text.charCodeAt(at) * 251 + text.charCodeAt(at + 1)) * 251 + text.charCodeAt(at + 2), 0x9e3779b1) >>> 17;
const slotOfFive = (text: string, at: number): number =>
  Math.imul(slotOfThree(text, at) * 251 + text.charCodeAt(at + 3) * 31 + text.charCodeAt(at + 4), 0x9e3779b1) >>> 17;
