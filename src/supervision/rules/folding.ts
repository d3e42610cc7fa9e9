/** Folds characters before phrases are compared: case, accents, punctuation. */
import { normalise } from "./normalise.js";

/** How characters are folded before they are compared. */
export interface Folding {
  caseSensitive: boolean;
  accents: boolean;
  /** Punctuation, and an underscore, is a space. */
  punctuation: boolean;
}

const whiteSpace = /\s+/g;
const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;
const mark = /\p{M}/u;
/** Accents and points that may be left out in writing: Latin, Greek and Cyrillic ones, Hebrew points, Arabic vowel signs. */
const accent = /(?!\u3099|\u309a)(?=\p{Mn})[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]/gu;
/** Letters with a stroke or of two letters, which don't decompose. */
const strokes: Readonly<Record<string, string>> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ħ: "h",
  ı: "i",
  œ: "oe",
  æ: "ae",
  Ø: "O",
  Ł: "L",
  Đ: "D",
};
const punctuation = /[\p{P}\p{S}]/u;
const punctuationRun = /[\s\p{P}\p{S}]+/gu;

/** The form in which a phrase and a text are compared; empty when nothing of the phrase can be seen. */
export function foldPhrase(phrase: string, caseSensitive: boolean): string {
  return foldPhraseFor(phrase, { caseSensitive, accents: false, punctuation: false });
}

/** A phrase with white space as one space, folded. */
export function foldPhraseFor(phrase: string, folding: Folding): string {
  const collapsed = normalise(phrase)
    .replace(folding.punctuation ? punctuationRun : whiteSpace, " ")
    .trim();
  return Array.from(collapsed, (character) => foldCharacter(character, folding)).join("");
}

/** Case is folded through upper case (ß, final sigma); decomposing makes é and e with an accent the same. */
function foldCharacter(character: string, { caseSensitive, accents }: Folding): string {
  const folded = caseSensitive ? character : character.toUpperCase().toLowerCase();
  if (!accents) return folded.normalize("NFD");
  return (strokes[folded] ?? folded).normalize("NFD").replace(accent, "");
}

/** What a scanner has to know of a character beyond ASCII. */
interface FoldedCharacter {
  readonly folded: string;
  readonly isWord: boolean;
  readonly isMark: boolean;
  readonly isPunctuation: boolean;
}

/** Folds characters, and keeps what came of them: a text uses few different ones. */
export class FoldingTable {
  private readonly known = new Map<string, FoldedCharacter>();
  private readonly folding: Folding;

  constructor(folding: Folding) {
    this.folding = folding;
  }

  of(character: string): FoldedCharacter {
    let found = this.known.get(character);
    if (found === undefined) {
      const isWord = wordCharacter.test(character);
      found = {
        folded: foldCharacter(character, this.folding),
        isWord,
        isMark: isWord && mark.test(character),
        isPunctuation: this.folding.punctuation && punctuation.test(character),
      };
      if (this.known.size >= maxKnown) this.known.clear();
      this.known.set(character, found);
    }
    return found;
  }
}

const maxKnown = 5_000;
