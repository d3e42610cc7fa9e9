/** The form of a sentence, as far as it says something of injections: encodings, dialogues, capitals, placeholders, markup that acts. */
import type { FoldedText } from "./fold.js";
import { hidesText } from "./hidden.js";

const encodedForm = /[A-Za-z0-9+/]{24}|(?:%[0-9A-Fa-f]{2}){6}|(?:\\x[0-9a-f]{2}){4}/;
export const binaryForm = /[01]{7,8} [01]{7,8} [01]{7,8}|(?:[.-]{1,6} ){6}|(?:[0-9a-f]{2} ){6}/;
const placeholderForm =
  /\[[^\][]{0,40}(?:prompt|insert|query|question|your)[^\][]{0,40}\]|\{[a-z_ ]{1,20}\}|<[a-z_ ]{3,20}>/;

type IsForm = (sentence: string, folded: FoldedText, look: ReturnType<typeof lookOf>) => boolean;

/** Each form, in an order that the trained weights rely on. */
const forms = [
  ["encoded", (sentence, _folded, look) => look.mayBeEncoded && encodedForm.test(sentence)],
  ["binary", (sentence, _folded, look) => look.mayBeBinary && binaryForm.test(sentence)],
  ["mixed", (_sentence, { isMixed }) => isMixed],
  ["spaced", (_sentence, { wasSpaced }) => wasSpaced],
  ["leet", (_sentence, { isLeet }) => isLeet],
  ["repeated", (_sentence, { text }) => isRepeated(text)],
  ["dialogue", (_sentence, { text }) => text.includes("q: ") || text.includes(" a: ") || text.startsWith("a: ")],
  ["shouting", (_sentence, _folded, { upper, lower }) => upper >= 12 && upper > lower],
  ["placeholder", (_sentence, { text }, look) => look.hasBracket && placeholderForm.test(text)],
  ["quoted", (_sentence, { text }) => text.includes("'") || text.includes('"')],
  ["question", (_sentence, { text }) => text.includes("?")],
  ["turn", (_sentence, { text }) => labelledTurn.test(text)],
  ["active", (_sentence, { text }, look) => (look.hasBracket || look.hasEscape) && activeMarkup.test(text)],
  ["hidden", (sentence, _folded, look) => (look.mayBeEncoded || look.mayBeBinary) && hidesText(sentence)],
] as const satisfies readonly (readonly [name: string, IsForm])[];
export const allForms = forms.map(([name]) => name);

/** A bit for each of {@link allForms} that a sentence has. */
export function formsOf(sentence: string, folded: FoldedText): number {
  const look = lookOf(sentence);
  return forms.reduce((bits, [, isForm], bit) => (isForm(sentence, folded, look) ? bits | (1 << bit) : bits), 0);
}

/** A turn of a written dialogue: `В: …`, `R : …`, `问：…`. */
const labelledTurn = /^ ?["'(]?(?:[a-z]|[\u0370-\uffdc]{1,2}) ?[:\uff1a]/;
/** Markup that acts when it is shown: an image that takes something along in its address, a script. */
const activeMarkup = /!\[[^\]]{0,60}\]\(\s{0,4}http|<(?:script|iframe|img)\b|\bonerror ?=/;

/** One look at each unit, so that the slower expressions run only where they may match. */
function lookOf(sentence: string) {
  let [upper, lower, zeroOrOne, dots, pairs, run, longest] = [0, 0, 0, 0, 0, 0, 0];
  let [hasBracket, hasEscape] = [false, false];
  for (let at = 0; at < sentence.length; at++) {
    const unit = sentence.charCodeAt(at);
    if (unit >= 97 && unit <= 122) lower += 1;
    else if (unit >= 65 && unit <= 90) upper += 1;
    else if (unit === 48 || unit === 49) zeroOrOne += 1;
    else if (unit < 50 || unit > 57) {
      if (unit === 45 || unit === 46) dots += 1;
      else if (unit === 37 || unit === 92) hasEscape = true;
      else if (unit === 91 || unit === 123 || unit === 60) hasBracket = true;
      if (unit !== 43 && unit !== 47) {
        if (unit === spaceUnit && run >= 2) pairs += 1;
        longest = Math.max(longest, run);
        run = 0;
        continue;
      }
    }
    run += 1;
  }
  return {
    upper,
    lower,
    hasBracket,
    hasEscape,
    mayBeEncoded: hasEscape || Math.max(longest, run) >= 20,
    mayBeBinary: zeroOrOne >= 21 || dots >= 6 || pairs >= 6,
  };
}

const spaceUnit = 32;

/** Few words, again and again. Words are told apart by a hash of twelve bits. */
export function isRepeated(text: string): boolean {
  if (text.length < 15) return false;
  const seen = new Int32Array(128);
  let [words, different, hash] = [0, 0, 0];
  for (let at = 0; at <= text.length; at++) {
    const unit = at === text.length ? spaceUnit : text.charCodeAt(at);
    if (unit !== spaceUnit) {
      hash = Math.imul(hash ^ unit, 0x01000193);
      continue;
    }
    words += 1;
    const slot = Math.imul(hash, 0x2c1b3c6d) >>> 20;
    const [word, bit] = [slot >>> 5, 1 << (slot & 31)];
    if (((seen[word] ?? 0) & bit) === 0) different += 1;
    seen[word] = (seen[word] ?? 0) | bit;
    hash = 0;
  }
  return words >= 8 && different * 2.5 < words;
}
