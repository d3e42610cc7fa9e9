import type { Finding } from "./detector.js";

/** Lengths of the international bank account number by country (SWIFT, IBAN Registry). */
const LENGTHS: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BI: 27,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DJ: 27,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FK: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LC: 32,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  LY: 25,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MN: 20,
  MR: 27,
  MT: 31,
  MU: 30,
  NI: 28,
  NL: 18,
  NO: 15,
  OM: 23,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  RU: 33,
  SA: 24,
  SC: 31,
  SD: 18,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  SO: 23,
  ST: 25,
  SV: 28,
  TL: 23,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  VG: 24,
  XK: 20,
  YE: 30,
};

/** A candidate, as RE2 source: a country, two check digits, and at least as much as the shortest number has. */
export const IBAN = String.raw`(?i)\b(?:${Object.keys(LENGTHS).join("|")})[ \-]?[0-9]{2}(?:[ \-]?[A-Z0-9]){11,29}`;

/** The number at the start of a candidate, which may go on with the words that follow it. */
export function findIban(text: string, start: number, end: number): Finding[] {
  const length = LENGTHS[text.slice(start, start + 2).toUpperCase()];
  if (length === undefined) return [];
  let characters = "";
  let at = start;
  while (at < end && characters.length < length) {
    const character = text.charAt(at);
    if (character !== " " && character !== "-") characters += character.toUpperCase();
    at += 1;
  }
  const goesOn = /[\p{L}\p{N}]/u.test(text.charAt(at));
  if (characters.length < length || goesOn || !passesMod97(characters)) return [];
  return [{ start, end: at, mask: "[iban]" }];
}

/** The check of ISO 7064 MOD 97-10, as ISO 13616 uses it: letters count as 10 to 35, the first four characters come last. */
function passesMod97(iban: string): boolean {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
