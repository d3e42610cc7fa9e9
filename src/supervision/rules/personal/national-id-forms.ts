/** National identity, tax and social security numbers that can be told from other numbers: their forms and what they satisfy. */
import {
  digitsOf,
  isMonthAndDay,
  passesLuhn,
  passesMod11_2,
  passesMod11_10,
  passesVerhoeff,
  weighted,
} from "./checksums.js";
import type { Evidence } from "./context.js";

export interface NationalIdForm extends Evidence {
  /** ISO 3166 country and the number's name. */
  readonly name: string;
  /** JavaScript syntax, without groups that capture; for those with letters common to RE2, in upper case. */
  readonly form: string;
  /** Whether a text of that form can be such a number: check digits, dates, ranges given out. */
  readonly isValid: (text: string) => boolean;
  /** The form alone is too common: only after one of these words, in lower case. `*` stands for an ending. */
  readonly words?: readonly string[];
}

const plainDigits = (text: string): string => text.replace(/\D/g, "");
const isDate = (yymmdd: string): boolean => isMonthAndDay(Number(yymmdd.slice(2, 4)), Number(yymmdd.slice(4, 6)));
const hasDayFirst = (ddmmyy: string): boolean => isMonthAndDay(Number(ddmmyy.slice(2, 4)), Number(ddmmyy.slice(0, 2)));

/** Those made of digits and separators. */
export const numericIdForms: readonly NationalIdForm[] = [
  {
    name: "US social security number",
    form: String.raw`\d{3}(?:-\d{2}-| \d{2} )\d{4}`,
    isValid: isSocialSecurity,
    source: "SSA, randomization of 2011: areas, groups and serials never given out",
    example: "123-45-6789",
    counterExample: "666-45-6789",
  },
  {
    name: "US social security number, in one piece",
    form: String.raw`\d{9}`,
    isValid: (text) => !/^(?:000|666|9)|^\d{3}00|0000$/.test(text),
    words: ["ssn", "social security*", "social sec*"],
    source: "SSA, randomization of 2011",
    example: "SSN 123456789",
    counterExample: "123456789",
  },
  {
    name: "FR NIR",
    form: String.raw`[1-478] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d{2} ?\d{3} ?\d{3} ?\d{2}`,
    isValid: (text) => {
      const digits = plainDigits(text);
      return 97 - (Number(digits.slice(0, 13)) % 97) === Number(digits.slice(13));
    },
    source: "INSEE, NIR; key: 97 less the remainder",
    example: "1 85 05 78 006 084 91",
    counterExample: "1 85 05 78 006 084 37",
  },
  {
    name: "PL PESEL",
    form: String.raw`\d{11}`,
    isValid: (text) => {
      const date = isMonthAndDay(Number(text.slice(2, 4)) % 20, Number(text.slice(4, 6)));
      return date && weighted(digitsOf(text), [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0;
    },
    source: "Act on the population register of 24 September 2010",
    example: "44051401359",
    counterExample: "44051401358",
  },
  {
    name: "DE tax identification number",
    form: String.raw`[1-9]\d ?\d{3} ?\d{3} ?\d{3}`,
    isValid: (text) => {
      const digits = digitsOf(text);
      const body = digits.slice(0, 10);
      const most = Math.max(...body.map((digit) => body.filter((other) => other === digit).length));
      const different = new Set(body).size;
      return different >= 8 && different <= 9 && most <= 3 && passesMod11_10(digits);
    },
    source: "BZSt, IdNr: ISO 7064 MOD 11,10; one digit of the first ten comes twice or three times",
    example: "86 095 742 719",
    counterExample: "86 095 742 718",
  },
  {
    name: "BR CPF",
    form: String.raw`\d{3}\.\d{3}\.\d{3}-\d{2}`,
    isValid: isCpf,
    source: "Receita Federal, CPF: two check digits MOD 11",
    example: "529.982.247-25",
    counterExample: "529.982.247-26",
  },
  {
    name: "BR CPF, in one piece",
    form: String.raw`\d{11}`,
    isValid: isCpf,
    words: ["cpf"],
    source: "Receita Federal, CPF",
    example: "CPF 52998224725",
    counterExample: "CPF 52998224726",
  },
  {
    name: "NL BSN, with dots",
    form: String.raw`\d{4}\.\d{2}\.\d{3}`,
    isValid: isBsn,
    source: "RvIG, BSN: elevenfold test",
    example: "1112.22.333",
    counterExample: "1112.22.334",
  },
  {
    name: "NL BSN",
    form: String.raw`\d{9}|\d{3} \d{3} \d{3}`,
    isValid: isBsn,
    words: ["bsn", "burgerservicenummer*", "sofinummer*", "burger service nummer"],
    source: "RvIG, BSN: elevenfold test",
    example: "BSN 111222333",
    counterExample: "BSN 111222334",
  },
  {
    name: "BE national number",
    form: String.raw`\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}`,
    isValid: (text) => {
      const digits = plainDigits(text);
      const key = Number(digits.slice(9));
      return [digits.slice(0, 9), `2${digits.slice(0, 9)}`].some((number) => 97 - (Number(number) % 97) === key);
    },
    source: "Royal decree of 3 April 1984; after 2000 with a 2 before",
    example: "85.07.30-033.28",
    counterExample: "85.07.30-033.29",
  },
  {
    name: "SE personal identity number",
    form: String.raw`(?:19|20)?\d{2}[01]\d[0-3]\d[\-+]\d{4}`,
    isValid: (text) => {
      const digits = plainDigits(text).slice(-10);
      return isDate(digits) && passesLuhn(digits);
    },
    source: "Skatteverket, SKV 704",
    example: "811228-9874",
    counterExample: "811228-9875",
  },
  {
    name: "DK CPR number",
    form: String.raw`[0-3]\d[01]\d{3}-\d{4}`,
    isValid: (text) => hasDayFirst(text),
    source: "CPR-kontoret; check digits no longer given since 2007",
    example: "131052-1234",
    counterExample: "321352-1234",
  },
  {
    name: "NO birth number",
    form: String.raw`\d{6} ?\d{5}`,
    isValid: (text) => {
      const digits = digitsOf(text);
      const first = weighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0;
      return hasDayFirst(text) && first && weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0;
    },
    source: "Skatteetaten, fødselsnummer: two check digits MOD 11",
    example: "15108695088",
    counterExample: "15108695087",
  },
  {
    name: "CZ and SK birth number",
    form: String.raw`\d{6}\/\d{4}`,
    isValid: (text) => {
      const month = Number(text.slice(2, 4)) % 50;
      return (
        isMonthAndDay(month > 20 ? month - 20 : month, Number(text.slice(4, 6))) && Number(plainDigits(text)) % 11 === 0
      );
    },
    source: "Act 133/2000 Coll.",
    example: "710319/2745",
    counterExample: "710319/2746",
  },
  {
    name: "RO CNP",
    form: String.raw`[1-8]\d{12}`,
    isValid: (text) => {
      const rest = weighted(digitsOf(text), [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
      return isDate(text.slice(1, 7)) && (rest === 10 ? 1 : rest) === Number(text[12]);
    },
    source: "Law 105/1996",
    example: "1630615123457",
    counterExample: "1630615123458",
  },
  {
    name: "CA social insurance number",
    form: String.raw`[1-79]\d{2}-\d{3}-\d{3}`,
    isValid: (text) => passesLuhn(plainDigits(text)),
    source: "Service Canada, SIN",
    example: "130-692-544",
    counterExample: "130-692-545",
  },
  {
    name: "CA social insurance number, with spaces",
    form: String.raw`[1-79]\d{2} ?\d{3} ?\d{3}`,
    isValid: (text) => passesLuhn(plainDigits(text)),
    words: ["sin", "nas", "social insurance*", "assurance sociale"],
    source: "Service Canada, SIN",
    example: "SIN 130 692 544",
    counterExample: "SIN 130 692 545",
  },
  {
    name: "CH AHV number",
    form: String.raw`756\.?\d{4}\.?\d{4}\.?\d{2}`,
    isValid: (text) => weighted(digitsOf(text), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
    source: "ZAS, AHVN13: check digit of EAN-13",
    example: "756.9217.0769.85",
    counterExample: "756.9217.0769.84",
  },
  {
    name: "PT NIF",
    form: String.raw`[1-3568]\d{8}|[1-3568]\d{2} \d{3} \d{3}`,
    isValid: (text) => {
      const digits = digitsOf(text);
      const check = 11 - (weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11);
      return (check > 9 ? 0 : check) === digits[8];
    },
    words: ["nif", "contribuinte*", "identificação fiscal", "número fiscal"],
    source: "Decreto-Lei 14/2013; check digit MOD 11",
    example: "NIF 123456789",
    counterExample: "NIF 123456788",
  },
  {
    name: "RU SNILS",
    form: String.raw`\d{3}-\d{3}-\d{3}[ \-]\d{2}`,
    isValid: isSnils,
    source: "SFR, SNILS: sum of digits by place, MOD 101",
    example: "112-233-445 95",
    counterExample: "112-233-445 96",
  },
  {
    name: "RU SNILS, in one piece",
    form: String.raw`\d{11}`,
    isValid: isSnils,
    words: ["снилс*", "snils"],
    source: "SFR, SNILS",
    example: "СНИЛС 11223344595",
    counterExample: "СНИЛС 11223344596",
  },
  {
    name: "RU INN",
    form: String.raw`\d{10}|\d{12}`,
    isValid: (text) => {
      const digits = digitsOf(text);
      const check = (weights: readonly number[]): number => (weighted(digits, weights) % 11) % 10;
      if (digits.length === 10) return check([2, 4, 10, 3, 5, 9, 4, 6, 8]) === digits[9];
      const [first, second] = [check([7, 2, 4, 10, 3, 5, 9, 4, 6, 8]), check([3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8])];
      return first === digits[10] && second === digits[11];
    },
    words: ["инн", "inn"],
    source: "FNS, INN: check digits MOD 11",
    example: "ИНН 500100732259",
    counterExample: "ИНН 500100732258",
  },
  {
    name: "CN resident identity number",
    form: String.raw`[1-9]\d{5}(?:19|20)\d{2}[01]\d[0-3]\d{4}\d`,
    isValid: isResidentId,
    source: "GB 11643-1999: ISO 7064 MOD 11-2",
    example: "11010519491231002X",
    counterExample: "110105194912310021",
  },
  {
    name: "JP My Number",
    form: String.raw`\d{12}|\d{4}[ \-]\d{4}[ \-]\d{4}`,
    isValid: (text) => {
      const digits = digitsOf(text);
      const rest = weighted(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
      return (rest <= 1 ? 0 : 11 - rest) === digits[11];
    },
    words: ["マイナンバー", "個人番号", "my number", "mynumber"],
    source: "Ministry of Internal Affairs, ordinance 85 of 2014, article 5",
    example: "マイナンバー 123456789018",
    counterExample: "マイナンバー 123456789012",
  },
  {
    name: "IN Aadhaar, in groups",
    form: String.raw`(?<!\d[ -])[2-9]\d{3}(?: \d{4} |-\d{4}-)\d{4}(?![ -]\d)`,
    isValid: (text) => passesVerhoeff(digitsOf(text)),
    source: "UIDAI, Aadhaar: Verhoeff",
    example: "2341 2341 2346",
    counterExample: "2341 2341 2345",
  },
  {
    name: "IN Aadhaar",
    form: String.raw`[2-9]\d{11}`,
    isValid: (text) => passesVerhoeff(digitsOf(text)),
    words: ["aadhaar*", "aadhar*", "adhaar*", "uid", "uidai", "आधार"],
    source: "UIDAI, Aadhaar: Verhoeff",
    example: "Aadhaar 234123412346",
    counterExample: "Aadhaar 234123412345",
  },
  {
    name: "TR identity number",
    form: String.raw`[1-9]\d{10}`,
    isValid: (text) => {
      const digits = digitsOf(text);
      const tenth = (weighted(digits, [7, -1, 7, -1, 7, -1, 7, -1, 7]) + 100) % 10;
      const sum = digits.slice(0, 10).reduce((total, digit) => total + digit, 0);
      return tenth === digits[9] && sum % 10 === digits[10];
    },
    source: "NVI, T.C. kimlik no: two check digits",
    example: "10000000146",
    counterExample: "10000000147",
  },
  {
    name: "KR resident registration number",
    form: String.raw`\d{6}-[1-8]\d{6}`,
    isValid: isDate,
    source: "Resident Registration Act; check digits no longer given since 2020",
    example: "851231-1234567",
    counterExample: "851331-1234567",
  },
  {
    name: "AR CUIT and CUIL",
    form: String.raw`(?:2[03457]|3[034])-\d{8}-\d`,
    isValid: (text) => weighted(digitsOf(text), [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    source: "AFIP, CUIT: MOD 11",
    example: "20-05536168-2",
    counterExample: "20-05536168-3",
  },
  {
    name: "TH identity number",
    form: String.raw`[1-8](?:-\d{4}-\d{5}-\d{2}-| \d{4} \d{5} \d{2} )\d`,
    isValid: isThai,
    source: "Department of Provincial Administration",
    example: "3-1005-06128-56-7",
    counterExample: "3-1005-06128-56-5",
  },
  {
    name: "TH identity number, in one piece",
    form: String.raw`[1-8]\d{12}`,
    isValid: isThai,
    words: ["thai id*", "thai national id*", "thailand id*", "เลขบัตรประชาชน", "บัตรประชาชน", "เลขประจำตัว"],
    source: "Department of Provincial Administration",
    example: "Thai ID 3100506128567",
    counterExample: "Thai ID 3100506128565",
  },
  {
    name: "GB NHS number",
    form: String.raw`\d{3}[ -]?\d{3}[ -]?\d{4}`,
    isValid: (text) => weighted(digitsOf(text), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    words: ["nhs*"],
    source: "NHS Data Dictionary: MOD 11",
    example: "NHS 943 476 5919",
    counterExample: "NHS 943 476 5918",
  },
  {
    name: "US individual taxpayer number",
    form: String.raw`9\d{2}(?:-\d{2}-| \d{2} )\d{4}`,
    isValid: isTaxpayerNumber,
    source: "IRS, ITIN: groups 50 to 65, 70 to 88, 90 to 92, 94 to 99",
    example: "912-71-1234",
    counterExample: "912-67-1234",
  },
  {
    name: "US individual taxpayer number, in one piece",
    form: String.raw`9\d{8}`,
    isValid: isTaxpayerNumber,
    words: ["itin*", "taxpayer*", "tax id*"],
    source: "IRS, ITIN",
    example: "ITIN 912711234",
    counterExample: "ITIN 912671234",
  },
  {
    name: "ZA identity number",
    form: String.raw`\d{6} ?\d{4} ?[01]\d{2}`,
    isValid: (text) => isDate(text) && passesLuhn(plainDigits(text)),
    words: ["south african*", "sa id*", "rsa id*", "za id*", "id number", "identity number", "said"],
    source: "Department of Home Affairs: date of birth, serial, citizenship, Luhn",
    example: "ID number 9202204720083",
    counterExample: "ID number 9202204720082",
  },
  {
    name: "PH PhilSys numbers",
    form: String.raw`\d{4}[ -]?\d{4}[ -]?\d{4}(?:[ -]?\d{4})?`,
    isValid: (text) => !/^(\d)\1*$/.test(plainDigits(text)),
    words: ["philsys*", "psn", "pcn", "philid", "philippine id*", "phil id"],
    source: "PSA, Philippine Identification System: PSN of 12 digits, card number of 16",
    example: "PSN 1234-5678-9012",
    counterExample: "PSN 1234-5678-901",
  },
  {
    name: "AU tax file number",
    form: String.raw`\d{3} ?\d{3} ?\d{3}`,
    isValid: (text) => weighted(digitsOf(text), [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    words: ["tfn", "tax file number"],
    source: "ATO, TFN: MOD 11",
    example: "TFN 876 543 210",
    counterExample: "TFN 876 543 211",
  },
  {
    name: "HR OIB",
    form: String.raw`\d{11}`,
    isValid: (text) => passesMod11_10(digitsOf(text)),
    words: ["oib"],
    source: "Porezna uprava, OIB: ISO 7064 MOD 11,10",
    example: "OIB 33392005961",
    counterExample: "OIB 33392005962",
  },
];

/** Those with letters in them, in upper case. */
export const letteredIdForms: readonly NationalIdForm[] = [
  {
    name: "ES DNI",
    form: String.raw`[0-9]{8}[- ]?[A-Z]|[0-9]{2}\.[0-9]{3}\.[0-9]{3}[- ]?[A-Z]`,
    isValid: isSpanish,
    source: "Royal decree 1553/2005: letter by the remainder of 23",
    example: "12345678Z",
    counterExample: "12345678A",
  },
  {
    name: "ES NIE",
    form: "[XYZ][- ]?[0-9]{7}[- ]?[A-Z]",
    isValid: isSpanish,
    source: "Order INT/2058/2008",
    example: "X1234567L",
    counterExample: "X1234567A",
  },
  {
    name: "DE social security number",
    form: "[0-9]{2} ?[0-9]{6} ?[A-Z] ?[0-9]{3}",
    isValid: isPensionNumber,
    source:
      "VKVV § 4: the letter as its place in the alphabet, weights 2 1 2 5 7 1 2 1 2 1 2 1, sum of the digits of the products",
    example: "15 070649 C 103",
    counterExample: "15 070649 C 104",
  },
  {
    name: "GB national insurance number",
    form: "[A-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]",
    isValid: (text) => /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(text),
    source: "HMRC, NIM39110: prefixes not given out",
    example: "AB 12 34 56 C",
    counterExample: "BG123456C",
  },
  {
    name: "IT codice fiscale",
    form: "[A-Z]{6} ?[0-9L-NP-V]{2}[A-EHLMPRST][0-9L-NP-V]{2} ?[A-Z][0-9L-NP-V]{3}[A-Z]",
    isValid: isCodiceFiscale,
    source: "Decree of 23 December 1976",
    example: "RSSMRA85T10A562S",
    counterExample: "RSSMRA85T10A562X",
  },
  {
    name: "FR NIR, Corsica",
    form: "[12] ?[0-9]{2} ?[0-9]{2} ?2[AB] ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}",
    isValid: (text) => {
      const number = Number(text.slice(0, 13).replace("A", "0").replace("B", "0")) - (text.includes("A") ? 1e6 : 2e6);
      return 97 - (number % 97) === Number(text.slice(13));
    },
    source: "INSEE, NIR: 2A counts as 19, 2B as 18",
    example: "1 85 05 2A 006 084 35",
    counterExample: "1 85 05 2A 006 084 36",
  },
  {
    name: "CN resident identity number, with X",
    form: "[1-9][0-9]{5}(?:19|20)[0-9]{2}[01][0-9][0-3][0-9]{4}X",
    isValid: isResidentId,
    source: "GB 11643-1999: ISO 7064 MOD 11-2",
    example: "11010519491231002X",
    counterExample: "11010519491231003X",
  },
  {
    name: "IN PAN",
    form: "[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z]",
    isValid: (text) => !text.includes("0000"),
    source: "Income Tax Department: the fourth letter is the kind of holder",
    example: "ABCPE1234F",
    counterExample: "ABCDE1234F",
  },
  {
    name: "MX CURP",
    form: "[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]",
    isValid: (text) => isDate(text.slice(4, 10)),
    source: "RENAPO, CURP",
    example: "HEGG560427MVZRRL04",
    counterExample: "HEGG561427MVZRRL04",
  },
  {
    name: "CL RUT",
    form: String.raw`[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9K]`,
    isValid: (text) => {
      const reversed = digitsOf(text.slice(0, -1)).reverse();
      const rest = 11 - (weighted(reversed, [2, 3, 4, 5, 6, 7, 2, 3]) % 11);
      return (rest === 11 ? "0" : rest === 10 ? "K" : String(rest)) === text.at(-1);
    },
    source: "Registro Civil, RUT: MOD 11",
    example: "12.531.909-2",
    counterExample: "12.531.909-3",
  },
  {
    name: "FI personal identity code",
    form: "[0-3][0-9][01][0-9]{3}[-+A-FU-Y][0-9]{3}[0-9A-FHJ-NPR-Y]",
    isValid: (text) => {
      const digits = text.replace(/^(\d{6}).?(\d{3}).$/, "$1$2");
      return hasDayFirst(digits) && "0123456789ABCDEFHJKLMNPRSTUVWXY"[Number(digits) % 31] === text.at(-1);
    },
    source: "DVV, henkilötunnus: remainder of 31",
    example: "131052-308T",
    counterExample: "131052-308U",
  },
  {
    name: "SG NRIC and FIN",
    form: "[STFG][0-9]{7}[A-Z]",
    isValid: (text) => {
      const sum = weighted(digitsOf(text), [2, 7, 6, 5, 4, 3, 2]) + (/^[TG]/.test(text) ? 4 : 0);
      return (/^[ST]/.test(text) ? "JZIHGFEDCBA" : "XWUTRQPNMLK")[sum % 11] === text.at(-1);
    },
    source: "ICA, NRIC",
    example: "S1234567D",
    counterExample: "S1234567A",
  },
  {
    name: "TW identity number",
    form: "[A-Z][1289][0-9]{8}",
    isValid: (text) => {
      const area = "ABCDEFGHJKLMNPQRSTUVXYWZIO".indexOf(text.charAt(0)) + 10;
      const digits = [Math.floor(area / 10), area % 10, ...digitsOf(text)];
      return weighted(digits, [1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 === 0;
    },
    source: "Ministry of the Interior",
    example: "A123456789",
    counterExample: "A123456788",
  },
  {
    name: "IE PPS number",
    form: "[0-9]{7}[A-W][A-IW]?",
    isValid: (text) => {
      const extra = /[A-I]$/.test(text.slice(8)) ? text.charCodeAt(8) - 64 : 0;
      const rest = (weighted(digitsOf(text), [8, 7, 6, 5, 4, 3, 2]) + extra * 9) % 23;
      return "WABCDEFGHIJKLMNOPQRSTUV"[rest] === text.charAt(7);
    },
    words: ["pps*", "ppsn"],
    source: "Department of Social Protection: remainder of 23",
    example: "PPS 1234567T",
    counterExample: "PPS 1234567A",
  },
];

function isSocialSecurity(text: string): boolean {
  return !/^(?:000|666|9)|^\d{3}.00|0000$/.test(text);
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

function isSnils(text: string): boolean {
  const digits = plainDigits(text);
  const check = (weighted(digitsOf(digits), [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100;
  return check === Number(digits.slice(9)) && Number(digits) > 0;
}

function isResidentId(text: string): boolean {
  return isDate(text.slice(8, 14)) && passesMod11_2(text);
}

function isSpanish(text: string): boolean {
  const plain = text.replace(/\./g, "");
  const number = Number(plain.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter))));
  return "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23] === plain.at(-1);
}

/** What a character in an odd place counts for (article 7); a digit as the letter of its rank. */
const oddPlace = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isCodiceFiscale(id: string): boolean {
  if (!/^[A-Z]{6}[0-9L-V]{2}[A-Z][0-9L-V]{2}[A-Z][0-9L-V]{3}[A-Z]$/.test(id)) return false;
  const ranks = Array.from(id.slice(0, 15), (character) => {
    return /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65;
  });
  const sum = ranks.reduce((total, rank, index) => total + (index % 2 === 0 ? (oddPlace[rank] ?? 0) : rank), 0);
  return String.fromCharCode(65 + (sum % 26)) === id[15];
}

function isThai(text: string): boolean {
  const digits = digitsOf(text);
  return (11 - (weighted(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === digits[12];
}

/** Nine digits that begin with 9, with a middle that is given out to those who have no social security number. */
function isTaxpayerNumber(text: string): boolean {
  const group = Number(plainDigits(text).slice(3, 5));
  return (group >= 50 && group <= 65) || (group >= 70 && group <= 88) || (group >= 90 && group !== 93);
}

const pensionWeights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];

function isPensionNumber(text: string): boolean {
  const [, area = "", letter = "", rest = ""] = /^(\d{8})([A-Z])(\d{3})$/.exec(text) ?? [];
  if (area === "" || Number(area.slice(4, 6)) < 1 || Number(area.slice(4, 6)) > 12) return false;
  const place = String(letter.charCodeAt(0) - 64).padStart(2, "0");
  const digits = digitsOf(`${area}${place}${rest}`);
  const products = pensionWeights.map((weight, at) => weight * (digits[at] ?? 0));
  return products.reduce((sum, product) => sum + Math.floor(product / 10) + (product % 10), 0) % 10 === digits.at(-1);
}
