/** Payment card numbers: written in one piece, in groups as on a card, or digit by digit. */
import { lazily } from "../../../text/lazily.js";
import type { Finding } from "../detector.js";
import { cardIssuers } from "./card-issuers.js";
import { passesLuhn } from "./checksums.js";

const issuers = lazily(() =>
  cardIssuers().map(({ prefix, lengths }) => ({ pattern: new RegExp(`^(?:${prefix})`), lengths })),
);

/** Most digits of a card number, and fewest. */
const maxCardDigits = 19;
export const minCardDigits = 12;

/** Whether digits are a card number: of an issuer's range, of its length, and with a right check digit. */
export function isCard(digits: string): boolean {
  const isOfAnIssuer = issuers().some(
    ({ pattern, lengths }) => lengths.includes(digits.length) && pattern.test(digits),
  );
  return isOfAnIssuer && passesLuhn(digits);
}

/** Payment card numbers in a complete run of digits and separators. */
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
    if (isRestOfLongerNumber(run, groups[next - 2], first, final)) continue;
    found.push({ start: first.start, end: final.start + final.digits.length, mask: "[card]" });
    next = last + 1;
  }
  return found;
}

/** Of "1234 5678 9012 3456" no short card is the end: its first four digits belong to it, and make it none. */
function isRestOfLongerNumber(
  run: string,
  before: DigitGroup | undefined,
  first: DigitGroup,
  final: DigitGroup,
): boolean {
  if (before?.digits.length !== 4 || first === final) return false;
  const digits = run.slice(first.start, final.start + final.digits.length).replace(/\D/g, "");
  return digits.length < 16 && first.start - (before.start + before.digits.length) === 1;
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
    if (end !== undefined && !/^(?: {0,2}[-.]? {0,2})$/.test(run.slice(end, group.start))) break;
    digits += group.digits;
    end = group.start + group.digits.length;
    if (digits.length > maxCardDigits) break;
    if (digits.length < minCardDigits) continue;
    if (isCardGrouping(groups.slice(first, index + 1).map((part) => part.digits.length)) && isCard(digits))
      longest = index;
  }
  return longest;
}

/** Four digits first, then groups of three to seven; six and the rest; or digit by digit. A table of small numbers is no card. */
function isCardGrouping(lengths: number[]): boolean {
  if (lengths.length === 1 || lengths.every((length) => length === 1)) return true;
  if (lengths.length === 2 && lengths[0] === 6) return true;
  return lengths[0] === 4 && lengths.slice(1, -1).every((length) => length >= 3 && length <= 7);
}
