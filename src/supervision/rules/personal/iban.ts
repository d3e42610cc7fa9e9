/** International bank account numbers (ISO 13616), by the registry that the library ibantools keeps. */
import { countrySpecs, ValidationErrorsIBAN, validateIBAN } from "ibantools";
import type { Finding } from "../detector.js";

/** Lengths by country; not every country of the library's list has such numbers. */
const lengths = new Map<string, number>();
for (const [country, { chars, bban_regexp }] of Object.entries(countrySpecs)) {
  if (chars && bban_regexp) lengths.set(country, chars);
}

/** A candidate, as RE2 source: a country, two check digits, and at least as much as the shortest number has. */
export const ibanCandidate = String.raw`(?i)\b(?:${[...lengths.keys()].join("|")})[ \-]?[0-9]{2}(?:[ \-]{0,2}[A-Z0-9]){11,31}`;

/** The number at the start of a candidate, which may go on with the words that follow it. */
export function findIban(text: string, start: number, end: number): Finding[] {
  const length = lengths.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return [];
  let characters = "";
  let at = start;
  while (at < end && characters.length < length) {
    const character = text.charAt(at);
    if (character !== " " && character !== "-") characters += character.toUpperCase();
    at += 1;
  }
  const goesOn = /[A-Za-z0-9]/.test(text.charAt(at));
  if (characters.length < length || goesOn || !isIban(characters)) return [];
  return [{ start, end: at, mask: "[iban]" }];
}

/** The check digits of banks inside a number are not asked for: a number mistyped there is still somebody's account. */
function isIban(characters: string): boolean {
  const { errorCodes } = validateIBAN(characters, { allowQRIBAN: true });
  return errorCodes.every((code) => code === ValidationErrorsIBAN.WrongAccountBankBranchChecksum);
}
