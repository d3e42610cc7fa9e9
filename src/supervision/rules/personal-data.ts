import type { Detector, Finding, Subject } from "./detector.js";
import { findIban, IBAN } from "./iban.js";
import { findLetteredId, findNumericIds, LETTERED_ID } from "./national-ids.js";
import { findCards, findPhones, MIN_CARD_DIGITS } from "./numbers.js";
import { expressionDetector, lazily } from "./patterns.js";

export const PERSONAL_DATA_KINDS = ["email", "phone", "card", "iban", "nationalId"] as const;
export type PersonalDataKind = (typeof PERSONAL_DATA_KINDS)[number];

/** An address (RFC 5321 and 6531, without quoted local parts and address literals). */
const EMAIL = String.raw`[\p{L}\p{N}._%+'&/=?^{|}~!#$*\-]*[\p{L}\p{N}_%+\-]@(?:[\p{L}\p{N}\-]+\.)+(?:\p{L}{2,24}|xn--[a-zA-Z0-9\-]{2,59})`;
/** Names of image files for screens of higher density look like addresses. */
const DENSITY_SUFFIX = /@\d(?:\.\d)?x\.(?:png|jpe?g|gif|webp|svg|avif)$/i;

function findEmail(text: string, start: number, end: number): Finding[] {
  const address = text.slice(start, end);
  if (DENSITY_SUFFIX.test(address)) return [];
  // What stands before a local part in code or prose: /, =, {, ' and the like.
  const opening = /^[^\p{L}\p{N}_+]*/u.exec(address)?.[0].length ?? 0;
  return [{ start: start + opening, end, mask: "[email]" }];
}

/** A run of digits and what may separate them, up to anything else. */
const NUMBER_RUN = String.raw`\+?\(?\+?[0-9][0-9 ().+/\-]*`;

/** Looks in a run for all numeric kinds at once; within a longer word or amount it counts for none. */
function findNumbers(kinds: ReadonlySet<PersonalDataKind>): (text: string, start: number, end: number) => Finding[] {
  return (text, start, end) => {
    const run = text.slice(start, end);
    const digits = run.replace(/\D/g, "").length;
    if (digits < MIN_DIGITS) return [];
    const [before, after] = [start === 0 ? "" : text.charAt(start - 1), text.charAt(end)];
    const found: Finding[] = [];
    if (kinds.has("card") && digits >= MIN_CARD_DIGITS) found.push(...findCards(run));
    if (kinds.has("nationalId") && digits >= MIN_ID_DIGITS) found.push(...findNumericIds(run));
    if (kinds.has("phone"))
      found.push(...findPhones(run).filter((phone) => !found.some((other) => overlap(phone, other))));
    return found
      .filter((one) => one.start > 0 || !PART_OF_WORD.test(before))
      .filter((one) => one.end < run.length || !PART_OF_WORD.test(after))
      .map((one) => ({ ...one, start: one.start + start, end: one.end + start }));
  };
}

const PART_OF_WORD = /[\p{L}\p{N}_#]/u;
const overlap = (a: Finding, b: Finding): boolean => a.start < b.end && b.start < a.end;

/** Fewest digits of a number of any kind, and of a numeric identity number. */
const MIN_DIGITS = 8;
const MIN_ID_DIGITS = 9;
/** The shortest of the numbers looked for has eight digits, with at most four separators from one to the next. */
const EIGHT_DIGITS = /\d(?:[ ().+/-]{0,4}\d){7}/;
const hasNumber = ({ normal }: Subject): boolean => EIGHT_DIGITS.test(normal);

const emailDetector = lazily(() => {
  return expressionDetector(EMAIL, ({ normal }) => normal.includes("@"), { refine: findEmail, retry: "after" });
});

const ibanDetector = lazily(() => {
  return expressionDetector(IBAN, ({ normal }) => IBAN_HINT.test(normal), { refine: findIban, retry: "next" });
});

const letteredIdDetector = lazily(() => {
  const source = String.raw`(?i)\b(?:${LETTERED_ID})\b`;
  return expressionDetector(source, ({ normal }) => ID_HINT.test(normal), { refine: findLetteredId, retry: "next" });
});

/** Detectors for some kinds of personal data. */
export function personalDataDetectors(kinds: readonly PersonalDataKind[]): Detector[] {
  const wanted = new Set(kinds);
  const detectors: Detector[] = [];
  if (wanted.has("email")) detectors.push(emailDetector());
  if (wanted.has("iban")) detectors.push(ibanDetector());
  if (wanted.has("card") || wanted.has("phone") || wanted.has("nationalId")) {
    detectors.push(expressionDetector(NUMBER_RUN, hasNumber, { refine: findNumbers(wanted), retry: "after" }));
  }
  if (wanted.has("nationalId")) detectors.push(letteredIdDetector());
  return detectors;
}

const IBAN_HINT = /[A-Za-z]{2}[ -]?\d{2}/;
/** Six digits in pairs, which every other form has, or the shape of a codice fiscale. */
const ID_HINT = /\d{2} ?\d{2} ?\d{2}|[A-Za-z]{6} ?[\dL-Vl-v]{2}[A-Za-z][\dL-Vl-v]{2} ?[A-Za-z][\dL-Vl-v]{3}/;
