import type { Finding } from "./detector.js";
import { passesLuhn } from "./numbers.js";

/** National identity, tax and social security numbers that can be told from other numbers, with their check digits. */

const digitsOf = (text: string): number[] => Array.from(text.replace(/\D/g, ""), Number);

function weighted(digits: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0);
}

/** A number made of digits and separators, and what it must satisfy. */
interface NumericId {
  form: RegExp;
  isValid(text: string): boolean;
}

const NUMERIC_IDS: NumericId[] = [
  // United States, social security number: the areas, groups and serials that were never given out do not count.
  { form: /\d{3}([- ])\d{2}\1\d{4}/, isValid: (text) => !/^(?:000|666|9)|^\d{3}.00|0000$/.test(text) },
  // France, NIR: 13 digits and a key that makes them divisible by 97.
  {
    form: /[1-378] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d{2} ?\d{3} ?\d{3} ?\d{2}/,
    isValid: (text) => {
      const digits = text.replace(/\D/g, "");
      return 97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13));
    },
  },
  // Poland, PESEL: a date of birth and a check digit.
  {
    form: /\d{11}/,
    isValid: (text) => {
      const digits = digitsOf(text);
      const isDate = isDayOfMonth(Number(text.slice(2, 4)) % 20, Number(text.slice(4, 6)));
      return isDate && (weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) + (digits[10] ?? 0)) % 10 === 0;
    },
  },
  // Germany, tax identification number: ISO 7064 MOD 11,10, and one digit of the first ten comes twice or three times.
  { form: /[1-9]\d ?\d{3} ?\d{3} ?\d{3}/, isValid: isGermanTaxId },
  // Brazil, CPF, as it is written: two check digits.
  { form: /\d{3}\.\d{3}\.\d{3}-\d{2}/, isValid: isCpf },
  // Netherlands, BSN, where it is written with dots: the elevenfold test. Plain numbers of nine digits are too common.
  { form: /\d{4}\.\d{2}\.\d{3}/, isValid: isBsn },
  // Belgium, national number as it is written: 97 less the remainder of the first nine digits, after 2000 with a 2 before.
  {
    form: /\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}/,
    isValid: (text) => {
      const digits = text.replace(/\D/g, "");
      const key = Number(digits.slice(9));
      return [digits.slice(0, 9), `2${digits.slice(0, 9)}`].some((number) => 97 - (Number(number) % 97) === key);
    },
  },
  // Sweden, personal identity number: a date and Luhn's check.
  {
    form: /(?:(?:19|20)\d{2}|\d{2})[0-1]\d[0-3]\d[-+]\d{4}/,
    isValid: (text) => {
      const digits = text.replace(/\D/g, "").slice(-10);
      return isDayOfMonth(Number(digits.slice(2, 4)), Number(digits.slice(4, 6))) && passesLuhn(digits);
    },
  },
  // Canada, social insurance number as it is written: Luhn's check.
  { form: /[1-79]\d{2}([- ])\d{3}\1\d{3}/, isValid: (text) => passesLuhn(text.replace(/\D/g, "")) },
  // Switzerland, AHV number: the check digit of an EAN-13.
  {
    form: /756\.?\d{4}\.?\d{4}\.?\d{2}/,
    isValid: (text) => weighted(digitsOf(text), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
  },
];

const isDayOfMonth = (month: number, day: number): boolean => month >= 1 && month <= 12 && day >= 1 && day <= 31;

function isGermanTaxId(text: string): boolean {
  const digits = digitsOf(text);
  const body = digits.slice(0, 10);
  const counts = body.map((digit) => body.filter((other) => other === digit).length);
  if (new Set(body).size < 8 || new Set(body).size > 9 || Math.max(...counts) > 3) return false;
  let product = 10;
  for (const digit of body) {
    const sum = (digit + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === digits[10];
}

function isCpf(text: string): boolean {
  const digits = digitsOf(text);
  if (new Set(digits).size === 1) return false;
  const first = ((weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10;
  const second = ((weighted(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) * 10) % 11) % 10;
  return first === digits[9] && second === digits[10];
}

function isBsn(text: string): boolean {
  const sum = weighted(digitsOf(text), [9, 8, 7, 6, 5, 4, 3, 2, -1]);
  return sum !== 0 && sum % 11 === 0;
}

/** A form counts where no digit, and no separator with a digit, goes before or after it. */
const NUMERIC_FORMS = NUMERIC_IDS.map(({ form, isValid }) => ({
  form: new RegExp(String.raw`(?<!\d|\d[.\-])(?:${form.source})(?!\d|[.\-]\d)`, "g"),
  isValid,
}));

const MASK = "[national id]";

/** Identity numbers within a complete run of digits and separators. */
export function findNumericIds(run: string): Finding[] {
  return NUMERIC_FORMS.flatMap(({ form, isValid }) =>
    Array.from(run.matchAll(form))
      .filter((match) => isValid(match[0]))
      .map((match) => ({ start: match.index, end: match.index + match[0].length, mask: MASK })),
  );
}

/** Identity numbers with letters in them, as RE2 source; {@link findLetteredId} tells which candidates count. */
export const LETTERED_ID = [
  "[0-9]{8}-?[A-Z]", // Spain, DNI
  "[XYZ]-?[0-9]{7}-?[A-Z]", // Spain, NIE
  "[A-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]", // United Kingdom, national insurance number
  "[A-Z]{6} ?[0-9L-NP-V]{2}[A-EHLMPRST][0-9L-NP-V]{2} ?[A-Z][0-9L-NP-V]{3}[A-Z]", // Italy, codice fiscale
  // Netherlands, BSN, where it is called so.
  String.raw`(?:BSN|BURGERSERVICENUMMER|SOFINUMMER)[^0-9\n]{0,20}[0-9]{9}`,
].join("|");

const SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";

export function findLetteredId(text: string, start: number, end: number): Finding[] {
  const candidate = text.slice(start, end).toUpperCase();
  const plain = candidate.replace(/[ -]/g, "");
  if (/^(?:BSN|BURGER|SOFI)/.test(plain)) {
    return isBsn(plain.slice(-9)) ? [{ start: end - 9, end, mask: MASK }] : [];
  }
  const isId = isSpanish(plain) || isNationalInsurance(plain) || isCodiceFiscale(plain);
  return isId ? [{ start, end, mask: MASK }] : [];
}

function isSpanish(id: string): boolean {
  if (!/^(?:\d{8}|[XYZ]\d{7})[A-Z]$/.test(id)) return false;
  const number = Number(id.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter))));
  return SPANISH_LETTERS[number % 23] === id.at(-1);
}

/** The prefixes that are not given out do not count (HMRC, NIM39110). */
function isNationalInsurance(id: string): boolean {
  return /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(id);
}

/** What a character in an odd place counts for (decree of 23 December 1976, article 7); a digit as the letter of its rank. */
const ODD_PLACE = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isCodiceFiscale(id: string): boolean {
  if (!/^[A-Z]{6}[0-9L-V]{2}[A-Z][0-9L-V]{2}[A-Z][0-9L-V]{3}[A-Z]$/.test(id)) return false;
  const ranks = Array.from(id.slice(0, 15), (character) => {
    return /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65;
  });
  const sum = ranks.reduce((total, rank, index) => total + (index % 2 === 0 ? (ODD_PLACE[rank] ?? 0) : rank), 0);
  return String.fromCharCode(65 + (sum % 26)) === id[15];
}
