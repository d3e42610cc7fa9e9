/**
 * Takes out of a reason what it quotes of the text it is about: people read the reasons of what they must not see. Found are
 * quotations, however they are spaced, cased or marked; not what is told in other words, or encoded on purpose.
 */
import { tokenize } from "../text/tokenizer.js";
import { normalise } from "./rules/normalise.js";

/** So many letters and digits in a row, whatever stands between them, are a quotation: three or four words. */
const quotedCharacters = 16;
/** From this length on a word that was taken out, or a text that is shorter than a quotation, is found inside other words, and letter by letter. */
const spelledCharacters = 5;
const mask = "[…]";

/**
 * @param hidden the text that reasons are about; looked through once, for all of them
 * @param left what was made of it, if it was changed: what was taken out isn't named at all
 * @returns what takes the quotations out of a reason
 */
export function quoteRemover(hidden: string, left?: string): (reason: string) => string {
  const about = fold(normalise(hidden)).letters;
  const quoted = Math.max(spelledCharacters, Math.min(quotedCharacters, about.length));
  const grams = gramsOf(about, quoted);
  const gone = left === undefined ? new Map<string, string>() : wordsOnlyIn(hidden, left);
  const goneTerms = new Set(gone.values());
  return (reason) => {
    const text = normalise(reason);
    const { letters, places } = fold(text);
    const marked = new Uint8Array(text.length);
    /** Marks what the folded letters from `start` to `end` stand for. */
    const mark = (start: number, end: number): void => {
      marked.fill(1, places[start]?.from, places[end - 1]?.to);
    };
    for (let at = 0; at + quoted <= letters.length; at++) {
      if (grams.has(letters.slice(at, at + quoted))) mark(at, at + quoted);
    }
    for (const { 0: token, index } of text.matchAll(/\S+/g)) {
      // Numbers, addresses, passwords: one of them alone says it all.
      const word = fold(token).letters;
      const telltale = word.length >= 3 && /[\p{N}@]/u.test(token);
      if (telltale && about.includes(word)) marked.fill(1, index, index + token.length);
    }
    for (const word of gone.keys()) {
      if (word.length < spelledCharacters) continue;
      for (let at = letters.indexOf(word); at >= 0; at = letters.indexOf(word, at + 1)) mark(at, at + word.length);
    }
    for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
      if (tokenize(plain(word)).some(({ term }) => goneTerms.has(term))) marked.fill(1, index, index + word.length);
    }
    return marked.includes(1) ? masked(text, marked) : reason;
  };
}

/** The distinctive words of a text that another one has in no form, without accents, with their index terms. */
function wordsOnlyIn(text: string, other: string): ReadonlyMap<string, string> {
  const kept = new Set(tokenize(plain(other)).map(({ term }) => term));
  const gone = tokenize(plain(text)).filter(({ term }) => !kept.has(term));
  return new Map(gone.map(({ surface, term }) => [fold(surface).letters, term]));
}

function plain(text: string): string {
  return normalise(text).normalize("NFD").replace(/\p{M}/gu, "");
}

/** Letters and digits alone, without case and marks; and where in the text each of them stands. */
function fold(text: string): { readonly letters: string; readonly places: readonly { from: number; to: number }[] } {
  let letters = "";
  const places: { from: number; to: number }[] = [];
  let index = 0;
  for (const character of text) {
    const plain = character
      .toLowerCase()
      .normalize("NFD")
      .replace(/[^\p{L}\p{N}]/gu, "");
    letters += plain;
    const place = { from: index, to: index + character.length };
    for (let unit = 0; unit < plain.length; unit++) places.push(place);
    index = place.to;
  }
  return { letters, places };
}

function gramsOf(letters: string, length: number): ReadonlySet<string> {
  const grams = new Set<string>();
  for (let at = 0; at + length <= letters.length; at++) grams.add(letters.slice(at, at + length));
  return grams;
}

/** Marked places that only spaces and signs keep apart are one. */
function masked(text: string, marked: Uint8Array): string {
  let shown = "";
  for (let at = 0; at < text.length; ) {
    if (marked[at] !== 1) {
      shown += text[at++];
      continue;
    }
    let end = at;
    for (let next = at; next < text.length; next++) {
      if (marked[next] === 1) end = next + 1;
      else if (/[\p{L}\p{N}]/u.test(text[next] ?? "")) break;
    }
    shown += mask;
    at = end;
  }
  return shown;
}
