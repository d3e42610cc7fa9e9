/** Telephone numbers in a run of digits and separators that is complete, so that none can go on after it was judged. */
import { lazily } from "../../../text/lazily.js";
import type { Finding } from "../detector.js";
import { WordTable, wordsOf } from "./context.js";
import { withoutDates } from "./dates.js";
import { lengthByCountryCode, type PhoneForm, phoneForms } from "./phone-forms.js";
import { otherNumberWords, phoneWords } from "./phone-words.js";

const announcing = lazily(() => new WordTable(phoneWords().flatMap(({ words }) => words)));
const announcingOther = lazily(() => new WordTable(otherNumberWords().flatMap(({ words }) => words)));

/** What follows words that say what a number is: no new sentence. */
const newSentence = /[.!?;。！？।؟]\s+\p{L}|\n\s*\n/u;
/** Currency signs and number signs stand before other numbers. */
const otherSign = /[$€£¥₹₽₺₩#№§@=]\s?$/u;

/** Between a word and its number. */
const wordsSign = /^\s?[#=№]\s?$/u;

/** Says that a number follows, of whatever the word before it names. */
const genericNumber =
  /^[\s_-]{0,2}(?:number is|nummer är|nummer is|numer to|nummer lautet|número es|número é|numero è)$/i;

/** What the words before a number say about it. The nearest counts. */
export type Announced = "phone" | "other" | undefined;

export function announcedBy(left: string): Announced {
  const words = wordsOf(left);
  const phone = announcing().endOfLast(words);
  // "cell# 305 …" and "phone=305 …" are what the word says.
  if (otherSign.test(left)) return phone >= 0 && wordsSign.test(words.text.slice(phone)) ? "phone" : "other";
  const other = announcingOther().endOfLast(words);
  const nearest = Math.max(phone, other);
  if (nearest < 0 || newSentence.test(words.text.slice(nearest))) return undefined;
  // "my order number is": of an order, whatever "number is" says by itself.
  if (other >= 0 && genericNumber.test(words.text.slice(other, phone))) return "other";
  // "call me about my order 12345678", but "order by phone: 12345678"; of "phone number" and "number", the former.
  return phone >= other ? "phone" : "other";
}

/** What may go before and after is the same for all forms. */
const complete = (form: string): string => String.raw`(?<![\d+]|\d[.\-\/,])(?:${form})(?!\d|[.\-\/,]\d)`;
/** Whether a run has any of some forms: most runs have none. */
const anyOf = (rows: readonly PhoneForm[]): RegExp => new RegExp(rows.map(({ form }) => complete(form)).join("|"));
const patterns = lazily(() => ({
  ofRows: phoneForms().map((row) => ({ row, pattern: new RegExp(complete(row.form), "g") })),
  anyForm: anyOf(phoneForms()),
  anyUnannouncedForm: anyOf(phoneForms().filter(({ needsWord }) => !needsWord)),
}));

const dottedQuad = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const bookNumber = /^97[89][\d -]{10,14}$/;
const thousands = /^\d{1,3}(?:[. ]\d{3})*[. ]000$/;
/** Groups of four after one more group of four: the end of a card's number, with a right check digit or not. */
const fours = /^\d{4}([ -])\d{4}\1\d{4}$/;
const fourBefore = /(?:^|\D)\d{4}[ -]$/;
/** One digit again and again, or noughts and ones. */
const noNumber = /^(?:(\d)\1*|[01]+)$/;
/** An amount such as 1314.64. */
const amount = /^\d+[.,]\d{1,2}$/;

/**
 * The telephone numbers of a run. `left` is the text before it: in what it says a number may be announced as one or as
 * something else.
 */
export function findPhones(run: string, left: string): Finding[] {
  const undated = withoutDates(run);
  const { ofRows, anyForm, anyUnannouncedForm } = patterns();
  const hasUnannounced = anyUnannouncedForm.test(undated);
  if (!hasUnannounced && !anyForm.test(undated)) return [];
  // For each character the number that it is part of: comparing each number with all others would be quadratic.
  const owners: (Finding | undefined)[] = [];
  for (const { row, pattern } of ofRows) {
    if (!row.needsWord && !hasUnannounced) continue;
    for (const match of undated.matchAll(pattern)) {
      const [start, end] = trimmed(undated, match.index, match.index + match[0].length, row);
      // Of two forms the one that explains more of the run is right; what needs a word comes after all others.
      const rivals = new Set(owners.slice(start, end).filter((owner) => owner !== undefined));
      if ([...rivals].some((other) => row.needsWord || other.end - other.start >= end - start)) continue;
      const first = withTrunkZero(undated, start);
      const before = leftWithin(left, run, start);
      if (!isPhone(undated.slice(start, end), row, before)) continue;
      if (!row.isUnmistakable && isInList(undated, start, end) && announcedBy(before) !== "phone") continue;
      for (const other of rivals) setOwner(owners, other.start, other.end, undefined);
      setOwner(owners, first, end, { start: first, end, mask: "[phone]" });
    }
  }
  return [...new Set(owners.filter((owner) => owner !== undefined))];
}

/** Whether a number is one of many: another group of digits stands beside it. */
function isInList(run: string, start: number, end: number): boolean {
  const before = run.slice(Math.max(0, start - 24), start);
  const after = run.slice(end, end + 24);
  const groups = (/(?:\d{2,9} ){1,2}$/.exec(before)?.[0] ?? "") + (/^(?: \d{2,9}){1,2}/.exec(after)?.[0] ?? "");
  return groups !== "";
}

/** "0 800 123 456", "0 (212) 345 67 89": the zero before a national number belongs to it. */
function withTrunkZero(run: string, start: number): number {
  return /(?:^|[^\d.,+])0 $/.test(run.slice(Math.max(0, start - 3), start)) && run.charAt(start) !== "+"
    ? start - 2
    : start;
}

function setOwner(owners: (Finding | undefined)[], start: number, end: number, owner: Finding | undefined): void {
  for (let at = owners.length; at < start; at++) owners.push(undefined);
  for (let at = start; at < end; at++) owners[at] = owner;
}

function isPhone(text: string, row: PhoneForm, left: string): boolean {
  const digits = text.replace(/\D/g, "");
  if (digits.length < row.least || digits.length > row.most || noNumber.test(digits)) return false;
  // No country's code is one digit but 1 and 7: "ZIP+4 12345-6789".
  if (/^\+[2-689][ .-]/.test(text)) return false;
  if (row.isUnmistakable) return true;
  if (fours.test(text) && fourBefore.test(left)) return false;
  if (dottedQuad.test(text) || bookNumber.test(text) || thousands.test(text) || amount.test(text)) return false;
  const announced = announcedBy(left.slice(-wordsWithin));
  return row.needsWord ? announced === "phone" : announced !== "other";
}

/** Words more than so many characters before a number say nothing about it. */
const wordsWithin = 48;

/** Where a number really ends: an international number of known length takes in nothing that follows it. */
function trimmed(run: string, start: number, end: number, row: PhoneForm): [start: number, end: number] {
  if (!row.isUnmistakable) return [start, end];
  const digits = run.slice(start, end).replace(/\D/g, "");
  const length = [1, 2, 3]
    .map((count) => lengthByCountryCode().get(digits.slice(0, count)))
    .find((known) => known !== undefined);
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
