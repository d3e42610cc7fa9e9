/**
 * Folding of one sentence before words are looked up in it: lower case, no accents, single spaces, letters of other scripts
 * and digits that stand for Latin letters, letters that were spaced out. It keeps a map back to the sentence.
 */
import { remembering } from "../../../text/lazily.js";
import { simplifiedUnits } from "./han.js";

/** A folded text. */
export interface FoldedText {
  readonly text: string;
  /** Offset in the sentence of each folded unit, and its length at the end; undefined if the units lie where they lay. */
  readonly offsets: readonly number[] | undefined;
  /** Letters of two scripts in one word. */
  readonly isMixed: boolean;
  /** Letters that stood each for itself, put together again. */
  readonly wasSpaced: boolean;
  /** Words with digits for letters. */
  readonly isLeet: boolean;
}

const spaceUnit = 32;
const droppedUnit = 0;
/** Cyrillic and Greek letters that look like Latin ones; the second string has what they look like. */
const lookalikes = new Map(
  Array.from("асеорхуіјѕһԁкмтвнбαοερντικυ", (letter, at) => [letter, "aceopxyijshdkmtbhbaoepvtiku"[at] ?? ""]),
);
const leetLetters = new Map(Array.from("0134578@$", (sign, at) => [sign, "oieasTbas"[at]?.toLowerCase() ?? ""]));
const arabicLetters = new Map([
  ...(["أ", "إ", "آ", "ٱ"] as const).map((letter) => [letter, "ا"] as const),
  ["ى", "ي"],
  ["ة", "ه"],
  // As Persian and Urdu write them.
  ["ی", "ي"],
  ["ک", "ك"],
]);

/** What one UTF-16 unit becomes; {@link droppedUnit} if nothing. */
function foldUnit(unit: number): number {
  if (unit < 128) return unit <= spaceUnit ? spaceUnit : unit >= 65 && unit <= 90 ? unit + 32 : unit;
  if (unit >= 0x300 && unit <= 0x36f) return droppedUnit;
  // Arabic vowel signs and stretching; the dot under Devanagari letters.
  if ((unit >= 0x64b && unit <= 0x652) || unit === 0x670 || unit === 0x640 || unit === 0x93c || unit === 0x9bc)
    return droppedUnit;
  const letter = String.fromCharCode(unit);
  if (unit >= 0x600 && unit < 0x700) return (arabicLetters.get(letter) ?? letter).charCodeAt(0);
  if (unit < 0x600 || (unit >= 0x1e00 && unit < 0x2000)) {
    if (unit === 0x131) return 105;
    if (unit === 0x111) return 100;
    const lower = letter.toLowerCase().normalize("NFD").charCodeAt(0);
    return lower;
  }
  return unit === 0x3000 ? spaceUnit : (simplifiedUnits.get(unit) ?? unit);
}

const foldBeyondAscii = remembering(foldUnit);
const fold = (unit: number): number => (unit < 128 ? foldUnit(unit) : foldBeyondAscii(unit));

/** Whether a folded unit belongs to a word of a script that parts words by spaces. Arabic puts articles before words, so not it. */
export function isBordered(unit: number): boolean {
  if (unit < 128) return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);
  return (
    (unit >= 0xdf && unit < 0x590 && unit !== 0xf7) ||
    (unit >= 0x900 && unit < 0xa00) ||
    (unit >= 0x1e00 && unit < 0x2000)
  );
}

/** Folds a text of bounded length. */
export function foldText(source: string): FoldedText {
  if (!plainAscii.test(source)) return foldEach(source);
  const text = source.replaceAll("\n", " ").toLowerCase();
  const folded = leetWord.test(text) ? text.replace(leetWords, unleet) : text;
  return { text: folded, offsets: undefined, isMixed: false, wasSpaced: false, isLeet: folded !== text };
}

/** ASCII with single spaces, in which no letters stand each for itself. */
const plainAscii = /^(?!.*(?:^|[^A-Za-z0-9])(?:[A-Za-z0-9][^A-Za-z0-9]){4})(?:[\x21-\x7e]|[ \n](?![ \n]))*$/s;

function foldEach(source: string): FoldedText {
  const codes: number[] = [];
  const offsets: number[] = [];
  let singles = 0;
  let spacedRuns = 0;
  let foreign = false;
  let signs = false;
  for (let at = 0; at < source.length; at++) {
    const code = fold(source.charCodeAt(at));
    if (code === droppedUnit) continue;
    const last = codes[codes.length - 1];
    if (code === spaceUnit && last === spaceUnit) {
      singles = 0;
      continue;
    }
    // A letter alone between separators: one more of a word that was spaced out.
    const isLone =
      isBordered(code) && !isBordered(last ?? spaceUnit) && !isBordered(fold(source.charCodeAt(at + 1) || spaceUnit));
    if (isLone) singles += 1;
    else if (isBordered(code)) singles = 0;
    if (singles === spacedLetters) spacedRuns += 1;
    if (code > 0x36f && code < 0x530) foreign = true;
    if ((code >= 48 && code <= 57) || code === 64 || code === 36) signs = true;
    codes.push(code);
    offsets.push(at);
  }
  offsets.push(source.length);
  const joined = spacedRuns > 0 ? joinSpaced(codes, offsets, source) : { codes, offsets };
  let text = textOf(joined.codes);
  const before = text;
  if (foreign && mixedScripts.test(text)) text = text.replace(scriptWord, unmix);
  const isMixed = text !== before;
  const plain = text;
  if (signs && leetWord.test(text)) text = text.replace(leetWords, unleet);
  return { text, offsets: joined.offsets, isMixed, wasSpaced: spacedRuns > 0, isLeet: text !== plain };
}

/** So many letters in a row, each alone, are a word that was spaced out. */
const spacedLetters = 5;
const mixedScripts = /[a-z][\u0370-\u052f]|[\u0370-\u052f][a-z]/;
const scriptWord = /[a-z\u0370-\u052f]{2,}/g;
const leetWord = /[a-z][0134578@$]+[a-z]/;
const leetWords = /[a-z0134578@$]{3,40}/g;
/** Two letters, no more digits than letters, no long number. */
const leetShape = /^(?=.*[a-z].*[a-z])(?!.*\d{3})(?=.*[a-z][0134578@$]+[a-z])/;

function textOf(codes: readonly number[]): string {
  let text = "";
  for (let at = 0; at < codes.length; at += 4_096) text += String.fromCharCode(...codes.slice(at, at + 4_096));
  return text;
}

const unmix = (word: string): string =>
  mixedScripts.test(word) ? word.replace(/[\u0370-\u052f]/g, (letter) => lookalikes.get(letter) ?? letter) : word;
const unleet = (word: string): string =>
  leetShape.test(word) ? word.replace(/[0134578@$]/g, (sign) => leetLetters.get(sign) ?? sign) : word;

/** Takes the separators out of runs of lone letters; where two spaces stood, one stays. */
function joinSpaced(codes: readonly number[], offsets: readonly number[], source: string) {
  const kept: number[] = [];
  const keptOffsets: number[] = [];
  const isLetter = (at: number) => isBordered(codes[at] ?? spaceUnit);
  const isLone = (at: number) => isLetter(at) && !isLetter(at - 1) && !isLetter(at + 1);
  for (let at = 0; at < codes.length; at++) {
    const wide =
      (offsets[at + 1] ?? 0) - (offsets[at] ?? 0) > 1 && fold(source.charCodeAt(offsets[at] ?? 0)) === spaceUnit;
    if (!isLetter(at) && !wide && isLone(at - 1) && isLone(at + 1) && at > 0) continue;
    kept.push(codes[at] ?? spaceUnit);
    keptOffsets.push(offsets[at] ?? 0);
  }
  keptOffsets.push(source.length);
  return { codes: kept, offsets: keptOffsets };
}
