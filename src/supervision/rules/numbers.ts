import type { Finding } from "./detector.js";

/**
 * Payment cards and telephone numbers. Both are looked for in a run of digits and separators that is complete, so that a
 * number cannot go on after it has been judged.
 */

/** Luhn's check (ISO/IEC 7812-1, annex B). */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}

/** Issuer ranges with their lengths: Visa, Mastercard, American Express, Discover, Diners, JCB, UnionPay, Maestro, Mir. */
const CARD_ISSUERS =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|2720\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12,15}|3(?:0[0-5]|[68]\d)\d{11,16}|35\d{14,17}|62\d{14,17}|220[0-4]\d{12}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{8,15})$/;

const MAX_CARD_DIGITS = 19;
/** Fewest digits of a card number. */
export const MIN_CARD_DIGITS = 13;

/** Payment card numbers: written in one piece, in groups as on a card, or digit by digit. */
export function findCards(run: string): Finding[] {
  const found: Finding[] = [];
  const groups: DigitGroup[] = Array.from(run.matchAll(/\d+/g), (match) => ({ start: match.index, digits: match[0] }));
  let next = 0;
  while (next < groups.length) {
    const last = lastGroupOfCard(run, groups, next);
    const [first, final] = [groups[next], last === undefined ? undefined : groups[last]];
    next += 1;
    if (first === undefined || final === undefined || last === undefined) continue;
    // The digits after a decimal point are no card.
    if (/\d\.$/.test(run.slice(Math.max(0, first.start - 2), first.start))) continue;
    found.push({ start: first.start, end: final.start + final.digits.length, mask: "[card]" });
    next = last + 1;
  }
  return found;
}

interface DigitGroup {
  start: number;
  digits: string;
}

/** The index of the last group of the longest card number that starts with a group. */
function lastGroupOfCard(run: string, groups: DigitGroup[], first: number): number | undefined {
  let digits = "";
  let end: number | undefined;
  let longest: number | undefined;
  for (let index = first; index < groups.length; index++) {
    const group = groups[index];
    if (group === undefined) break;
    if (end !== undefined && !/^(?: ?[-.]? ?)$/.test(run.slice(end, group.start))) break;
    digits += group.digits;
    end = group.start + group.digits.length;
    if (digits.length > MAX_CARD_DIGITS) break;
    const shapely = isCardGrouping(groups.slice(first, index + 1).map((part) => part.digits.length));
    if (digits.length >= MIN_CARD_DIGITS && shapely && CARD_ISSUERS.test(digits) && passesLuhn(digits)) longest = index;
  }
  return longest;
}

/** Four digits first, then groups of three to seven, or digit by digit; so that a table of small numbers is no card. */
function isCardGrouping(lengths: number[]): boolean {
  if (lengths.length === 1 || lengths.every((length) => length === 1)) return true;
  return lengths[0] === 4 && lengths.slice(1, -1).every((length) => length >= 3 && length <= 7);
}

const SEPARATORS = String.raw`[ ().\/\-]{0,3}`;
const PHONES = [
  // International (ITU-T E.164): + and eight to fifteen digits in all; with 00 only if it is set in groups.
  String.raw`(?<!\d)\+[1-9](?:${SEPARATORS}\d){7,14}(?!\d)`,
  String.raw`(?<![\d.])00[1-9]\d{0,2}[ \-\/](?:${SEPARATORS}\d){6,12}(?!\d)`,
  // North America.
  String.raw`(?<![\d.])(?:1[ .\-])?(?:\([2-9]\d{2}\)[ \-]?|[2-9]\d{2}[ .\-])\d{3}[ .\-]\d{4}(?!\d|[.\-]\d)`,
  // With the trunk prefix 0, as in most of Europe: in groups, nine to twelve digits.
  String.raw`(?<![\d.\-\/])\(?0[1-9]\d{0,4}\)?(?:[ .\/\-]{1,3}\d{2,8}){1,5}(?!\d)`,
].join("|");
const PHONE = new RegExp(PHONES, "g");
/** Dates, with the day or the year first, are no part of a number. */
const DATE =
  /(?<!\d)(?:\d{1,2}([./-])\d{1,2}\1(?:19|20)\d{2}|(?:19|20)\d{2}([./-])\d{1,2}\2\d{1,2}|\d{1,2}([./])\d{1,2}\3\d{2})(?![\d./-]\d|\d)/g;

/** Telephone numbers in international form, and in common national forms with separators. */
export function findPhones(run: string): Finding[] {
  const undated = run.replace(DATE, (date) => "x".repeat(date.length));
  return Array.from(undated.matchAll(PHONE))
    .filter(([number]) => !/^\(?0[1-9]/.test(number) || isTrunkLength(number.replace(/\D/g, "").length))
    .map((match) => ({ start: match.index, end: match.index + match[0].length, mask: "[phone]" }));
}

const isTrunkLength = (digits: number): boolean => digits >= 9 && digits <= 12;
