/** Folds characters before phrases are compared: case, accents, punctuation. */
import { remembering } from "../../text/lazily.js";
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
const strokes = new Map("ø:o ł:l đ:d ħ:h ı:i œ:oe æ:ae Ø:O Ł:L Đ:D".split(" ").map((row) => [row[0], row.slice(2)]));
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
  return (strokes.get(folded) ?? folded).normalize("NFD").replace(accent, "");
}

/** What a scanner has to know of a character beyond ASCII. */
export interface FoldedCharacter {
  readonly folded: string;
  readonly isWord: boolean;
  readonly isMark: boolean;
  readonly isPunctuation: boolean;
}

/** Folds characters, and keeps what came of them: a text uses few different ones. */
export function characterFolder(folding: Folding): (character: string) => FoldedCharacter {
  return remembering((character) => {
    const isWord = wordCharacter.test(character);
    return {
      folded: foldCharacter(character, folding),
      isWord,
      isMark: isWord && mark.test(character),
      isPunctuation: folding.punctuation && punctuation.test(character),
    };
  }, maxKnown);
}

const maxKnown = 5_000;
