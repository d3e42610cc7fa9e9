/** Telephone numbers in a run of digits and separators that is complete, so that none can go on after it was judged. */
import type { Finding } from "../detector.js";
import { WordTable } from "./context.js";
import { withoutDates } from "./dates.js";
import { lengthByCountryCode, type PhoneForm, phoneForms } from "./phone-forms.js";
import { otherNumberWords, phoneWords } from "./phone-words.js";

const announcing = new WordTable(Object.values(phoneWords).flat());
const announcingOther = new WordTable(Object.values(otherNumberWords).flat());

/** What follows words that say what a number is: no new sentence. */
const newSentence = /[.!?;。！？।؟]\s+\p{L}|\n\s*\n/u;
/** Currency signs and number signs stand before other numbers. */
const otherSign = /[$€£¥₹₽₺₩#№§@=]\s?$/u;

/** What the words before a number say about it. The nearest counts. */
export type Announced = "phone" | "other" | undefined;

export function announcedBy(left: string): Announced {
  const lower = left.toLowerCase();
  const phone = announcing.endOfLast(lower);
  const other = announcingOther.endOfLast(lower);
  if (otherSign.test(left)) return "other";
  const nearest = Math.max(phone, other);
  if (nearest < 0 || newSentence.test(lower.slice(nearest))) return undefined;
  // "call me about my order 12345678", but "order by phone: 12345678"; of "phone number" and "number", the former.
  return phone >= other ? "phone" : "other";
}

const compiled = phoneForms.map((row) => ({
  row,
  pattern: new RegExp(String.raw`(?<![\d+]|\d[.\-\/,])(?:${row.form})(?!\d|[.\-\/,]\d)`, "g"),
}));

const dottedQuad = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const bookNumber = /^97[89][\d -]{10,14}$/;
const thousands = /^\d{1,3}(?:[. ]\d{3})*[. ]000$/;
const allEqual = /^(\d)\1*$/;

/**
 * The telephone numbers of a run. `left` is the text before it: in what it says a number may be announced as one or as
 * something else.
 */
export function findPhones(run: string, left: string): Finding[] {
  const undated = withoutDates(run);
  const found: Finding[] = [];
  for (const { row, pattern } of compiled) {
    for (const match of undated.matchAll(pattern)) {
      const [start, end] = trimmed(undated, match.index, match.index + match[0].length, row);
      const phone = { start, end, mask: "[phone]" };
      // Of two forms the one that explains more of the run is right; what needs a word comes after all others.
      const rivals = found.filter((other) => start < other.end && other.start < end);
      if (rivals.some((other) => row.needsWord || other.end - other.start >= end - start)) continue;
      if (!isPhone(undated.slice(start, end), row, leftWithin(left, run, start))) continue;
      found.splice(0, found.length, ...found.filter((other) => !rivals.includes(other)), phone);
    }
  }
  return found;
}

function isPhone(text: string, row: PhoneForm, left: string): boolean {
  const digits = text.replace(/\D/g, "");
  const [least, most] = row.digits;
  if (digits.length < least || digits.length > most || allEqual.test(digits)) return false;
  if (row.isUnmistakable) return true;
  if (dottedQuad.test(text) || bookNumber.test(text) || thousands.test(text)) return false;
  const announced = announcedBy(left.slice(-wordsWithin));
  return row.needsWord ? announced === "phone" : announced !== "other";
}

/** Words more than so many characters before a number say nothing about it. */
const wordsWithin = 48;

/** Where a number really ends: an international number of known length takes in nothing that follows it. */
function trimmed(run: string, start: number, end: number, row: PhoneForm): [start: number, end: number] {
  if (!row.isUnmistakable) return [start, end];
  const digits = run.slice(start, end).replace(/\D/g, "");
  const code = [1, 2, 3].map((length) => digits.slice(0, length)).find((prefix) => prefix in lengthByCountryCode);
  const length = code === undefined ? undefined : lengthByCountryCode[code];
  if (length === undefined || digits.length <= length) return [start, end];
  // The trunk prefix in brackets is no digit of the number.
  const national = run.slice(start, end).replace("(0)", "(x)");
  let count = 0;
  for (let at = 0; at < national.length; at++) {
    if (/\d/.test(national.charAt(at))) count += 1;
    if (count === length && !/\d/.test(national.charAt(at + 1))) return [start, start + at + 1];
    if (count > length) break;
  }
  return [start, end];
}

/** What stands before a place of a run, no further than words say anything; taking more each time would be quadratic. */
function leftWithin(left: string, run: string, start: number): string {
  const before = run.slice(Math.max(0, start - wordsWithin), start);
  return start >= wordsWithin ? before : left + before;
}
