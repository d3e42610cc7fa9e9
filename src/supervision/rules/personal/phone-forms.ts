/** Forms of telephone numbers: how numbers are written in the world, in one country, or by one agency. */
import type { Evidence } from "./context.js";

export interface PhoneForm extends Evidence {
  /** Where numbers are written so: a country (ISO 3166), or a wider region. */
  readonly region: string;
  /** JavaScript syntax, without groups that capture; what may go before and after is the same for all. */
  readonly form: string;
  /** Fewest and most digits. */
  readonly digits: readonly [least: number, most: number];
  /** The form has a sign of its own (+, 00) that no other number has: words before it don't count. */
  readonly isUnmistakable?: true;
  /** Too common a form: only after a word that announces a telephone number. */
  readonly needsWord?: true;
}

const e164 = "ITU-T E.164 (11/2010), E.123 (02/2001)";
/** Between the digits of an international number. */
const gap = String.raw`[ ().\/\-]{0,4}`;
/** Between groups. */
const between = String.raw` ?[ .\/\-] ?`;

export const phoneForms: readonly PhoneForm[] = [
  {
    region: "international",
    form: String.raw`(?:\(\+ ?[1-9]\d{0,3}\)|\+ ?\(?[1-9])(?:${gap}\d){6,14}`,
    digits: [7, 15],
    isUnmistakable: true,
    source: e164,
    example: "+44 20 7946 0958",
    counterExample: "3+10000000",
  },
  {
    region: "international, with 00",
    form: String.raw`00[1-9]\d{0,2}${between}\(?\d(?:${gap}\d){5,12}`,
    digits: [9, 17],
    source: e164,
    example: "0044 20 7946 0958",
    counterExample: "00 12",
  },
  {
    region: "international, with 00, in one piece",
    form: String.raw`00(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2359][0-9]{2})\d{8,11}`,
    digits: [12, 16],
    source: `${e164}; country codes as in ITU Operational Bulletin 1114`,
    example: "00442079460958",
    counterExample: "0000123456789",
  },
  {
    region: "international, dialled from North America",
    form: String.raw`011[ .\-][1-9]\d{0,2}${between}\d(?:${gap}\d){5,12}`,
    digits: [10, 18],
    source: "NANPA, international dialling prefix",
    example: "011-44-20-7946-0958",
    counterExample: "011-44",
  },
  {
    region: "North America, area code in brackets",
    form: String.raw`(?:\+?1 ?[.\-]? ?)?\(\d{3}\) ?[.\-]? ?\d{3} ?[.\-]? ?\d{4}`,
    digits: [10, 11],
    source: "NANPA, numbering plan; E.123",
    example: "(555) 123-4567",
    counterExample: "(555) 12-34",
  },
  {
    region: "North America, with dashes or dots",
    form: String.raw`(?:1[ .\-])?(?:\d{3}-\d{3}-\d{4}|\d{3}\.\d{3}\.\d{4}|\d{3}[.\-]\d{3}[.\-]\d{4})`,
    digits: [10, 11],
    source: "NANPA, numbering plan",
    example: "555.123.4567",
    counterExample: "55.123.4567",
  },
  {
    region: "North America, in groups",
    form: String.raw`(?:1[ .\-])?[2-9]\d{2}[ .\-]\d{3}[ .\-]\d{4}`,
    digits: [10, 11],
    source: "NANPA, numbering plan",
    example: "555 123 4567",
    counterExample: "155 123 4567",
  },
  {
    region: "with an area code in brackets",
    form: String.raw`\(0?\d{1,5}\) ?[.\/\-]? ?\d{2,9}(?:[ .\-]{1,3}\d{2,8}){0,4}`,
    digits: [8, 13],
    source: "E.123",
    example: "(030) 1234567",
    counterExample: "(12) 345",
  },
  {
    region: "with the trunk prefix 0, in groups",
    form: String.raw`0\d{1,5}(?:[ .\/\-]{1,3}\d{1,8}){1,6}`,
    digits: [9, 13],
    source: "E.123; ITU national numbering plans",
    example: "030 / 1234567",
    counterExample: "030 123",
  },
  {
    region: "with the trunk prefix 0, in one piece",
    form: String.raw`0[1-9]\d{8,9}`,
    digits: [10, 11],
    source: "ITU national numbering plans (DE, FR, GB, JP, TR, AU, IN and others)",
    example: "07700900123",
    counterExample: "077009001",
  },
  {
    region: "RU",
    form: String.raw`8[ \-]?\(?[3489]\d{2}\)?[ \-]{0,2}\d{3}[ \-]?\d{2}[ \-]?\d{2}|7[ \-]\(?[3489]\d{2}\)?[ \-]{0,2}\d{3}[ \-]?\d{2}[ \-]?\d{2}`,
    digits: [11, 11],
    source: "ITU national numbering plan of the Russian Federation",
    example: "8 (912) 345-67-89",
    counterExample: "8 112 345 67 89",
  },
  {
    region: "CN, mobile",
    form: String.raw`1[3-9]\d(?:-\d{4}-\d{4}| \d{4} \d{4}|\d{8})`,
    digits: [11, 11],
    source: "ITU national numbering plan of China",
    example: "13812345678",
    counterExample: "12812345678",
  },
  {
    region: "IN, mobile",
    form: String.raw`[6-9]\d{4}[ \-]\d{5}`,
    digits: [10, 10],
    source: "ITU national numbering plan of India",
    example: "98765 43210",
    counterExample: "58765 43210",
  },
  {
    region: "ES, PT, PL, CZ and others: three groups of three",
    form: String.raw`[5-9]\d{2}(?: \d{3} \d{3}|-\d{3}-\d{3})`,
    digits: [9, 9],
    source: "ITU national numbering plans of Spain, Portugal, Poland, Czechia",
    example: "612 345 678",
    counterExample: "112 345 678",
  },
  {
    region: "ES, in pairs",
    form: String.raw`[6-9]\d{2} \d{2} \d{2} \d{2}`,
    digits: [9, 9],
    source: "ITU national numbering plan of Spain",
    example: "612 34 56 78",
    counterExample: "112 34 56 78",
  },
  {
    region: "IT, mobile",
    form: String.raw`3\d{2}(?:[ .\/\-]\d{6,7}|[ .\-]\d{3}[ .\-]\d{3,4}|[ .\-]\d{2}[ .\-]\d{2}[ .\-]\d{3})`,
    digits: [9, 10],
    source: "ITU national numbering plan of Italy",
    example: "333 1234567",
    counterExample: "233 1234567",
  },
  {
    region: "BR",
    form: String.raw`(?:\d{2} )?9\d{4}-\d{4}|\d{2} 9 ?\d{4}[ \-]\d{4}`,
    digits: [9, 11],
    source: "ITU national numbering plan of Brazil",
    example: "11 91234-5678",
    counterExample: "11 1234-5678",
  },
  {
    region: "TR, mobile",
    form: String.raw`5\d{2} \d{3} \d{2} \d{2}`,
    digits: [10, 10],
    source: "ITU national numbering plan of Türkiye",
    example: "532 123 45 67",
    counterExample: "132 123 45 67",
  },
  {
    region: "AU, shared cost",
    form: String.raw`1[38]00[ \-]\d{3}[ \-]\d{3}`,
    digits: [10, 10],
    source: "ACMA, numbering plan of Australia",
    example: "1300 123 456",
    counterExample: "1100 123 456",
  },
  {
    region: "anywhere, after a word",
    form: String.raw`\(?\d(?:[ ().\/\-]{0,3}\d){5,14}(?![ .\/\-]{1,2}\d)`,
    digits: [6, 15],
    needsWord: true,
    source: "E.164: at most 15 digits",
    example: "555-1234",
    counterExample: "555",
  },
];

/** Digits of complete numbers, country code included, where a plan has one length: what follows is no part of the number. */
export const lengthByCountryCode: Readonly<Record<string, number>> = {
  "1": 11,
  "7": 11,
  "31": 11,
  "33": 11,
  "34": 11,
  "41": 11,
  "44": 12,
  "45": 10,
  "47": 10,
  "48": 11,
  "61": 11,
  "90": 12,
  "91": 12,
  "351": 12,
  "420": 12,
};
