/**
 * Text → index terms. The same function makes the terms of entries and of queries, and the full-text index stores
 * exactly these terms, so that what matches is decided here and nowhere else.
 */
import { trimEndOf, trimStartOf } from "./edges.js";
import { stem } from "./stemmer.js";
import { irregularForms, letterFolding, numberWords, stopWords } from "./vocabulary.js";

/** One index term and the word of the text that it was made from. */
export interface Token {
  /** What is indexed: lower case, folded, stemmed; never contains white space. */
  readonly term: string;
  /** The word as it stood in the text, for showing to a reader. */
  readonly surface: string;
}

/** Longest term kept; longer runs (encoded blobs, mangled text) are cut, so that a term never bloats the index. */
const maxTermLength = 48;
/** Parts taken from one identifier or path. */
const maxParts = 12;

/** A run of letters, marks and digits, with the joints that identifiers, paths, versions and contractions have inside. */
const chunkPattern =
  /[\p{L}\p{N}\p{M}_]+(?:(?:['’.\-/\\:@+#]|::|(?<=\d),(?=\d))[\p{L}\p{N}\p{M}_]+)*(?:\+\+|(?<=^|[^\p{L}\p{N}]\p{L})#)?/gu;
/** Scripts written without spaces between words (and Hangul, whose words carry their particles): cut into bigrams. */
const unspacedRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;
const numberPattern = /^\d+(?:[.,]\d+)*$/;
const versionPattern = /^v?\d+(?:\.\d+)+(?:-[a-z0-9.]+)?$/i;
const isoDate = /^\d{4}-\d{2}(?:-\d{2})?(?:T.*)?$/;

/** Joints, which a word neither begins nor ends with; "C++" and "F#" end so. */
const notInWord = /[^\p{L}\p{N}\p{M}]/u;
const notAtWordEnd = /[^\p{L}\p{N}\p{M}+#]/u;

const plainAscii = /^[\x20-\x7e]*$/;

/** Lower case, compatibility forms and accents folded away ("Ｃａｆé" → "cafe"); vowel signs of other scripts stay. */
export function fold(text: string): string {
  if (plainAscii.test(text)) return text.toLowerCase();
  const folded = text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "");
  return folded.normalize("NFC").replace(/[ßæœøđðłþı]/g, (letter) => letterFolding.get(letter) ?? letter);
}

/** The words of a text in order, in lower case, nothing left out. An apostrophe ends a word: "don't" is "don" and "t". */
export function plainWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The term of one plain word: base form and stem of English words, the folded word otherwise. */
export function wordTerm(word: string): string {
  const folded = fold(word);
  const number = numberWords.get(folded);
  if (number !== undefined) return number;
  return stem(irregularForms.get(folded) ?? folded).slice(0, maxTermLength);
}

/** Whether a word is left out: a function word, unless it is written as an acronym ("US", "IT", "WHO"). */
function isStopWord(word: string): boolean {
  const folded = fold(word).replace(/['’]/g, "");
  // a lone letter is noise, but "vitamin C" and "plan B" mean theirs
  if (/^[a-z]$/.test(folded)) return !/^[B-HJ-Z]$/.test(word);
  if (!stopWords.has(folded)) return false;
  return !/^\p{Lu}{2,5}$/u.test(word);
}

/** Cuts a run of an unspaced script into overlapping pairs; a single letter stays as it is. */
function bigrams(run: string): string[] {
  const letters = [...fold(run)];
  if (letters.length <= 1) return letters;
  return letters.slice(0, -1).map((letter, index) => letter + (letters[index + 1] ?? ""));
}

/** Splits "camelCase", "HTTPServer2", "snake_case", "src/a-b.ts" into its words. */
function identifierParts(chunk: string): string[] {
  return chunk
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((part) => part !== "")
    .slice(0, maxParts);
}

/** Takes "'s", "n't" and the like off a word; the rest of a contraction is a function word anyway. */
function withoutContraction(word: string): string {
  return word.replace(/['’](?:s|m|d|re|ve|ll|t)$/i, "").replace(/['’]/g, "");
}

function numberToken(chunk: string): Token {
  // "1,200" and "1200" are one number; a comma before other than three digits separates
  const term = chunk.replace(/,(?=\d{3}(?!\d))/g, "");
  return { term: term.slice(0, maxTermLength), surface: chunk };
}

function chunkTokens(chunk: string): Token[] {
  if (numberPattern.test(chunk))
    return /,\d{1,2}(?!\d)/.test(chunk) ? chunk.split(",").map(numberToken) : [numberToken(chunk)];
  if (versionPattern.test(chunk)) return [{ term: fold(chunk).replace(/^v/, ""), surface: chunk }];
  if (isoDate.test(chunk)) return [{ term: chunk.slice(0, 10), surface: chunk }];
  const ordinal = /^(\d+)(?:st|nd|rd|th)$/i.exec(chunk);
  if (ordinal?.[1] !== undefined) return [{ term: ordinal[1], surface: chunk }];
  const word = /['’]/.test(chunk) ? withoutContraction(chunk) : chunk;
  const parts = identifierParts(word);
  const acronym = /^\p{Lu}+s?$/u.test(word);
  if (parts.length <= 1 || acronym) {
    if (isStopWord(chunk) || isStopWord(word)) return [];
    // the plural of an acronym: no suffix rule takes the "s" off "NFTs"
    const term = wordTerm(/^\p{Lu}{2,}s$/u.test(word) ? word.slice(0, -1) : word);
    return [{ term, surface: chunk }];
  }
  const tokens = parts.filter((part) => !isStopWord(part)).map((part) => ({ term: wordTerm(part), surface: part }));
  // the whole as one term, however it is joined: "preSeason", "pre_season" and "pre-season" meet
  const whole = fold(word).replace(/[^\p{L}\p{N}\p{M}+#]+/gu, "");
  if (whole.length <= maxTermLength) tokens.push({ term: stem(whole), surface: chunk });
  return tokens;
}

/**
 * The index terms of a text, in order, with repetitions.
 *
 * Words are folded and stemmed, function words left out; identifiers, paths and hyphenated words give their parts and
 * the whole; numbers and versions stay whole; scripts without spaces give overlapping bigrams.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  // Words repeat: each is cut once.
  const cut = new Map<string, readonly Token[]>();
  for (const [match] of text.normalize("NFKC").matchAll(chunkPattern)) {
    const found = cut.get(match) ?? matchTokens(match);
    cut.set(match, found);
    for (const token of found) tokens.push(token);
  }
  return tokens;
}

/** The tokens of a run of letters, digits and joints, which may change between scripts. */
function matchTokens(match: string): Token[] {
  const chunk = trimEndOf(trimStartOf(match, /_/), /_/);
  if (chunk === "") return [];
  const tokens: Token[] = [];
  const spaced = chunk.replace(unspacedRun, " ");
  if (spaced !== chunk) {
    for (const run of chunk.matchAll(unspacedRun)) {
      for (const term of bigrams(run[0])) tokens.push({ term, surface: term });
    }
  }
  for (const part of spaced.split(" ")) {
    const trimmed = trimEndOf(trimStartOf(part, notInWord), notAtWordEnd);
    if (trimmed !== "") for (const token of chunkTokens(trimmed)) tokens.push(token);
  }
  return tokens;
}

/** The index terms of a text as the space-joined column that is stored and indexed. */
export function indexTerms(text: string): string {
  return tokenize(text)
    .map((token) => token.term)
    .join(" ");
}
