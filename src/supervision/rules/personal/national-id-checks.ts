/** What national numbers satisfy: check digits, dates, ranges given out. */
import {
  digitsOf,
  isMonthAndDay,
  passesLuhn,
  passesMod11_2,
  passesMod11_10,
  passesVerhoeff,
  weighted,
} from "./checksums.js";

type Check = (text: string) => boolean;

/** A check of the table: one of those below by its name, or weights whose sum leaves no remainder: `10 9 8 7 6 5 4 3 2 1 % 11`. */
export function checkOf(name: string): Check {
  const [weights = "", modulus] = name.split(" % ");
  if (modulus !== undefined) return (text) => sum(text, weights) % Number(modulus) === 0;
  const check = checks[name];
  if (check === undefined) throw new Error(`no national number has the check "${name}"`);
  return check;
}

const plainDigits = (text: string): string => text.replace(/\D/g, "");
/** The sum of a text's digits times weights, which are parted by spaces. */
const sum = (text: string, weights: string): number => weighted(digitsOf(text), weights.split(" ").map(Number));
const isDate: Check = (yymmdd) => isMonthAndDay(Number(yymmdd.slice(2, 4)), Number(yymmdd.slice(4, 6)));
const hasDayFirst: Check = (ddmmyy) => isMonthAndDay(Number(ddmmyy.slice(2, 4)), Number(ddmmyy.slice(0, 2)));

const checks: Readonly<Record<string, Check>> = {
  luhn: (text) => passesLuhn(plainDigits(text)),
  verhoeff: (text) => passesVerhoeff(digitsOf(text)),
  "mod 11,10": (text) => passesMod11_10(digitsOf(text)),
  "year, month and day": isDate,
  "day and month": hasDayFirst,
  "us ssn": (text) => !/^(?:000|666|9)|^\d{3}.00|0000$/.test(text),
  "us ssn, in one piece": (text) => !/^(?:000|666|9)|^\d{3}00|0000$/.test(text),
  /** Nine digits that begin with 9, with a middle that is given out to those who have no social security number. */
  "us itin": (text) => {
    const group = Number(plainDigits(text).slice(3, 5));
    return (group >= 50 && group <= 65) || (group >= 70 && group <= 88) || (group >= 90 && group !== 93);
  },
  "fr nir": (text) => {
    const digits = plainDigits(text);
    return 97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13));
  },
  "fr corsica": (text) => {
    const number = Number(text.slice(0, 13).replace("A", "0").replace("B", "0")) - (text.includes("A") ? 1e6 : 2e6);
    return 97 - (number % 97) === Number(text.slice(13));
  },
  "pl pesel": (text) => {
    const date = isMonthAndDay(Number(text.slice(2, 4)) % 20, Number(text.slice(4, 6)));
    return date && sum(text, "1 3 7 9 1 3 7 9 1 3 1") % 10 === 0;
  },
  "de tax": (text) => {
    const digits = digitsOf(text);
    const body = digits.slice(0, 10);
    const most = Math.max(...body.map((digit) => body.filter((other) => other === digit).length));
    const different = new Set(body).size;
    return different >= 8 && different <= 9 && most <= 3 && passesMod11_10(digits);
  },
  "de pension": (text) => {
    const [, area = "", letter = "", rest = ""] = /^(\d{8})([A-Z])(\d{3})$/.exec(text) ?? [];
    if (area === "" || Number(area.slice(4, 6)) < 1 || Number(area.slice(4, 6)) > 12) return false;
    const place = String(letter.charCodeAt(0) - 64).padStart(2, "0");
    const digits = digitsOf(`${area}${place}${rest}`);
    const products = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1].map((weight, at) => weight * (digits[at] ?? 0));
    return products.reduce((sum, product) => sum + Math.floor(product / 10) + (product % 10), 0) % 10 === digits.at(-1);
  },
  "br cpf": (text) => {
    const digits = digitsOf(text);
    const first = ((sum(text, "10 9 8 7 6 5 4 3 2") * 10) % 11) % 10;
    const second = ((sum(text, "11 10 9 8 7 6 5 4 3 2") * 10) % 11) % 10;
    return new Set(digits).size > 1 && first === digits[9] && second === digits[10];
  },
  "nl bsn": (text) => {
    const total = sum(text, "9 8 7 6 5 4 3 2 -1");
    return total !== 0 && total % 11 === 0;
  },
  /** Of those born from 2000 on with a 2 before. */
  be: (text) => {
    const digits = plainDigits(text);
    const key = Number(digits.slice(9));
    return [digits.slice(0, 9), `2${digits.slice(0, 9)}`].some((number) => 97 - (Number(number) % 97) === key);
  },
  se: (text) => {
    const digits = plainDigits(text).slice(-10);
    return isDate(digits) && passesLuhn(digits);
  },
  no: (text) => {
    const first = sum(text, "3 7 6 1 8 9 4 5 2 1") % 11 === 0;
    return hasDayFirst(text) && first && sum(text, "5 4 3 2 7 6 5 4 3 2 1") % 11 === 0;
  },
  cz: (text) => {
    const month = Number(text.slice(2, 4)) % 50;
    const date = isMonthAndDay(month > 20 ? month - 20 : month, Number(text.slice(4, 6)));
    return date && Number(plainDigits(text)) % 11 === 0;
  },
  "ro cnp": (text) => {
    const rest = sum(text, "2 7 9 1 4 6 3 5 8 2 7 9") % 11;
    return isDate(text.slice(1, 7)) && (rest === 10 ? 1 : rest) === Number(text[12]);
  },
  "pt nif": (text) => {
    const check = 11 - (sum(text, "9 8 7 6 5 4 3 2") % 11);
    return (check > 9 ? 0 : check) === digitsOf(text)[8];
  },
  "ru snils": (text) => {
    const digits = plainDigits(text);
    const check = (sum(digits, "9 8 7 6 5 4 3 2 1") % 101) % 100;
    return check === Number(digits.slice(9)) && Number(digits) > 0;
  },
  "ru inn": (text) => {
    const digits = digitsOf(text);
    const check = (weights: string): number => (sum(text, weights) % 11) % 10;
    if (digits.length === 10) return check("2 4 10 3 5 9 4 6 8") === digits[9];
    return check("7 2 4 10 3 5 9 4 6 8") === digits[10] && check("3 7 2 4 10 3 5 9 4 6 8") === digits[11];
  },
  cn: (text) => isDate(text.slice(8, 14)) && passesMod11_2(text),
  jp: (text) => {
    const rest = sum(text, "6 5 4 3 2 7 6 5 4 3 2") % 11;
    return (rest <= 1 ? 0 : 11 - rest) === digitsOf(text)[11];
  },
  tr: (text) => {
    const digits = digitsOf(text);
    const tenth = (sum(text, "7 -1 7 -1 7 -1 7 -1 7") + 100) % 10;
    return tenth === digits[9] && sum(text, "1 1 1 1 1 1 1 1 1 1") % 10 === digits[10];
  },
  th: (text) => (11 - (sum(text, "13 12 11 10 9 8 7 6 5 4 3 2") % 11)) % 10 === digitsOf(text)[12],
  za: (text) => isDate(text) && passesLuhn(plainDigits(text)),
  ph: (text) => !/^(\d)\1*$/.test(plainDigits(text)),
  es: (text) => {
    const plain = text.replace(/\./g, "");
    const number = Number(plain.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter))));
    return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] === plain.at(-1);
  },
  "gb nino": (text) => /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(text),
  it: (text) => {
    if (!/^[A-Z]{6}[0-9L-V]{2}[A-Z][0-9L-V]{2}[A-Z][0-9L-V]{3}[A-Z]$/.test(text)) return false;
    const ranks = Array.from(text.slice(0, 15), (character) => {
      return /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65;
    });
    const total = ranks.reduce((sum, rank, index) => sum + (index % 2 === 0 ? (oddPlace[rank] ?? 0) : rank), 0);
    return String.fromCharCode(65 + (total % 26)) === text[15];
  },
  "in pan": (text) => !text.includes("0000"),
  "mx curp": (text) => isDate(text.slice(4, 10)),
  "cl rut": (text) => {
    const rest = 11 - (weighted(digitsOf(text.slice(0, -1)).reverse(), [2, 3, 4, 5, 6, 7, 2, 3]) % 11);
    return (rest === 11 ? "0" : rest === 10 ? "K" : String(rest)) === text.at(-1);
  },
  fi: (text) => {
    const digits = text.replace(/^(\d{6}).?(\d{3}).$/, "$1$2");
    return hasDayFirst(digits) && "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(digits) % 31] === text.at(-1);
  },
  sg: (text) => {
    const total = sum(text, "2 7 6 5 4 3 2") + (/^[TG]/.test(text) ? 4 : 0);
    return (/^[ST]/.test(text) ? "JZIHGFEDCBA" : "XWUTRQPNMLK")[total % 11] === text.at(-1);
  },
  tw: (text) => {
    const area = "ABCDEFGHJKLMNPQRSTUVXYWZIO".indexOf(text.charAt(0)) + 10;
    return sum(`${area}${text.slice(1)}`, "1 9 8 7 6 5 4 3 2 1 1") % 10 === 0;
  },
  "ie pps": (text) => {
    const extra = /[A-I]$/.test(text.slice(8)) ? text.charCodeAt(8) - 64 : 0;
    return "WABCDEFGHIJKLMNOPQRSTUV"[(sum(text, "8 7 6 5 4 3 2") + extra * 9) % 23] === text.charAt(7);
  },
};

/** What a character in an odd place of a codice fiscale counts for (article 7); a digit as the letter of its rank. */
const oddPlace = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
