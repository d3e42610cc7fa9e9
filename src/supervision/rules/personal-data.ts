/** Finds personal data of some kinds: what has a form of its own. Names and postal addresses have none. */
import { lazily } from "../../text/lazily.js";
import type { Detector, Finding, Subject } from "./detector.js";
import { detectorMaker, expressionDetector } from "./patterns.js";
import { findCards, minCardDigits } from "./personal/cards.js";
import { isPartOfWord, leftOf } from "./personal/context.js";
import { emailCandidate, findEmail, seekEmail } from "./personal/email.js";
import { findIban, hasIban, ibanCandidate } from "./personal/iban.js";
import { findIp, hasIp, ipCandidate } from "./personal/ip.js";
import { findLetteredId, findNumericIds, letteredIdCandidate } from "./personal/national-ids.js";
import { extensionWords } from "./personal/phone-words.js";
import { findPhones } from "./personal/phones.js";

export const personalDataKinds = ["email", "phone", "card", "iban", "nationalId", "ip"] as const;
export type PersonalDataKind = (typeof personalDataKinds)[number];

/** A run of digits and what may separate them, up to anything else; and an extension. */
const run = String.raw`(?:\+ ?)?\(?(?:\+ ?)?\(?[0-9][0-9 ().+/\-]*`;
const extension = String.raw`(?:[,;]? ?(?:${extensionWords})\.?[:=]? ?#?[0-9]{1,6}\b)?`;
const numberRun = `(?i)${run}${extension}`;
const extensionAtEnd = new RegExp(String.raw`[,;]? ?(?:${extensionWords})\.?[:=]? ?#?[0-9]{1,6}$`, "i");

/** Characters of the longest extension, with the word for it. */
const longestExtension = 48;

/** A bank account number goes on in groups of four after its country and check digits; those are no numbers of their own. */
const ibanBeginning = /(?:^|[^A-Z0-9])([A-Z]{2} ?\d{2}(?:[ -]?[A-Z0-9]{4}){0,8}[ -]?[A-Z0-9]{0,4} ?)$/;

/** Looks in a run for all numeric kinds at once; within a longer word or amount it counts for none. */
function findNumbers(kinds: ReadonlySet<PersonalDataKind>): (text: string, start: number, end: number) => Finding[] {
  return (text, start, end) => {
    const candidate = text.slice(start, end);
    if (!hasDigits(candidate, minDigits)) return [];
    const tailStart = Math.max(0, candidate.length - longestExtension);
    const extensionStart = extensionAtEnd.exec(candidate.slice(tailStart))?.index;
    const extended = extensionStart === undefined ? undefined : tailStart + extensionStart;
    const digits = candidate.slice(0, extended);
    const count = digits.replace(/\D/g, "").length;
    if (count < minDigits) return [];
    const left = leftOf(text, start);
    const isGlued = start > 0 && isPartOfWord(text.charAt(start - 1));
    const beginning = ibanBeginning.exec(left);
    const account = beginning === null ? [] : findIban(text, start - (beginning[1] ?? "").length, end);
    const cards = count < minCardDigits || account.length > 0 ? [] : findCards(digits);
    const ids = beginning === null ? findNumericIds(digits, left) : [];
    const found = [...(kinds.has("card") ? cards : []), ...(kinds.has("nationalId") ? ids : [])];
    if (kinds.has("phone") && beginning === null && (!isGlued || candidate.startsWith("+"))) {
      // What is a card or an identity number is no telephone number, whether or not it is looked for.
      const taken = new Uint8Array(digits.length);
      for (const { start: from, end: to } of [...cards, ...ids]) taken.fill(1, from, to);
      found.push(...findPhones(digits, left).filter((phone) => !taken.subarray(phone.start, phone.end).includes(1)));
    }
    const endOfDigits = digits.trimEnd().length;
    const last = found.find((one) => one.mask === "[phone]" && one.end >= endOfDigits);
    if (last !== undefined && extended !== undefined) last.end = candidate.length;
    return found
      .filter((one) => one.start > 0 || !isGlued || candidate.startsWith("+"))
      .filter((one) => one.end < candidate.length || !isPartOfWord(text.charAt(end)))
      .map((one) => ({ ...one, start: one.start + start, end: one.end + start }));
  };
}

/** Fewest digits of a number of any kind; at most four separators go from one digit to the next. */
const minDigits = 6;
/** Whether a candidate has so many digits at all: most have one or two, and are looked at no further. */
function hasDigits(candidate: string, least: number): boolean {
  let count = 0;
  for (let at = 0; at < candidate.length && count < least; at++) {
    const unit = candidate.charCodeAt(at);
    if (unit >= 48 && unit <= 57) count += 1;
  }
  return count >= least;
}
const sixDigits = /\d(?:[ ().+/-]{0,4}\d){5}/;
const hasNumber = ({ normal }: Subject): boolean => sixDigits.test(normal);

const emailDetector = lazily(() => {
  return expressionDetector(emailCandidate, ({ normal }) => normal.includes("@"), {
    refine: findEmail,
    retry: "after",
    seek: seekEmail,
  });
});

const ibanDetector = lazily(() => {
  return expressionDetector(ibanCandidate, ({ normal }) => hasIban.test(normal), { refine: findIban, retry: "next" });
});

const letteredIdDetector = lazily(() => {
  const isThere = new RegExp(letteredIdCandidate(), "i");
  return expressionDetector(`(?i)${letteredIdCandidate()}`, ({ normal }) => isThere.test(normal), {
    refine: findLetteredId,
    retry: "next",
  });
});

const ipDetector = lazily(() => detectorMaker(ipCandidate));
const numberDetector = lazily(() => detectorMaker(numberRun));

/** Detectors for some kinds of personal data; internet addresses of private ranges count only if asked for. */
export function personalDataDetectors(kinds: readonly PersonalDataKind[], withPrivateIps = false): Detector[] {
  const wanted = new Set(kinds);
  const detectors: Detector[] = [];
  if (wanted.has("email")) detectors.push(emailDetector());
  if (wanted.has("iban")) detectors.push(ibanDetector());
  if (wanted.has("ip")) {
    detectors.push(
      ipDetector()(({ normal }) => hasIp.test(normal), { refine: findIp(withPrivateIps), retry: "after" }),
    );
  }
  if (wanted.has("card") || wanted.has("phone") || wanted.has("nationalId")) {
    detectors.push(numberDetector()(hasNumber, { refine: findNumbers(wanted), retry: "after" }));
  }
  if (wanted.has("nationalId")) detectors.push(letteredIdDetector());
  return detectors;
}
