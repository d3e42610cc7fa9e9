/** Forms of telephone numbers: how numbers are written in the world, in one country, or by one agency. */
import { lazily } from "../../../text/lazily.js";
import { readTable } from "../../../text/table.js";
import type { Evidence } from "./context.js";

export interface PhoneForm extends Evidence {
  /** Where numbers are written so: a country (ISO 3166), or a wider region. */
  readonly region: string;
  /** JavaScript syntax, without groups that capture; what may go before and after is the same for all. */
  readonly form: string;
  /** Fewest and most digits. */
  readonly least: number;
  readonly most: number;
  /** The form has a sign of its own (+, 00) that no other number has: words before it don't count. */
  readonly isUnmistakable: boolean;
  /** Too common a form: only after a word that announces a telephone number. */
  readonly needsWord: boolean;
}

export const phoneForms = lazily(() =>
  readTable(table, (region, form, least, most, rule, source, example, counterExample): PhoneForm => {
    const evidence = { source, example, counterExample };
    const [isUnmistakable, needsWord] = [rule === "unmistakable", rule === "announced"];
    return { region, form, least: Number(least), most: Number(most), isUnmistakable, needsWord, ...evidence };
  }),
);

/** Digits of complete numbers by country code, where a plan has one length: what follows is no part of the number. */
export const lengthByCountryCode = lazily(
  () =>
    new Map(
      readTable(lengths, (digits, codes) => codes.split(", ").map((code) => [code, Number(digits)] as const)).flat(),
    ),
);

const lengths = `
# digits, country code included | country codes
10 | 45, 47
11 | 1, 7, 31, 33, 34, 41, 48, 61
12 | 44, 90, 91, 351, 420
`;

/** Between the digits of an international number. */
const gap = String.raw`[ ().\/\-]{0,4}`;
/** Between groups. */
const between = String.raw` ?[ .\/\-] ?`;

const table = String.raw`
# region | form | fewest digits | most | rule | source | example | counter-example
international | (?:\(\+ ?[1-9]\d{0,3}\)|\+ ?\(?[1-9])(?:${gap}\d){6,14} | 7 | 15 | unmistakable | ITU-T E.164 (11/2010), E.123 (02/2001) | +44 20 7946 0958 | 3+10000000
international, with 00 | 00[1-9]\d{0,2}${between}\(?\d(?:${gap}\d){5,12} | 9 | 17 | - | ITU-T E.164 (11/2010), E.123 (02/2001) | 0044 20 7946 0958 | 00 12
international, with 00, in one piece | 00(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2359][0-9]{2})\d{8,11} | 12 | 16 | - | ITU-T E.164 (11/2010), E.123 (02/2001); country codes as in ITU Operational Bulletin 1114 | 00442079460958 | 0000123456789
international, dialled from North America | 011[ .\-][1-9]\d{0,2}${between}\d(?:${gap}\d){5,12} | 10 | 18 | - | NANPA, international dialling prefix | 011-44-20-7946-0958 | 011-44
North America, area code in brackets | (?:\+?1 ?[.\-]? ?)?\(\d{3}\) ?[.\-]? ?\d{3} ?[.\-]? ?\d{4} | 10 | 11 | - | NANPA, numbering plan; E.123 | (555) 123-4567 | (555) 12-34
North America, with dashes or dots | (?:1[ .\-])?(?:\d{3}-\d{3}-\d{4}|\d{3}\.\d{3}\.\d{4}|\d{3}[.\-]\d{3}[.\-]\d{4}) | 10 | 11 | - | NANPA, numbering plan | 555.123.4567 | 55.123.4567
North America, in groups | (?:1[ .\-])?[2-9]\d{2}[ .\-]\d{3}[ .\-]\d{4} | 10 | 11 | - | NANPA, numbering plan | 555 123 4567 | 155 123 4567
with an area code in brackets | \(0?\d{1,5}\) ?[.\/\-]? ?\d{2,9}(?:[ .\-]{1,3}\d{2,8}){0,4} | 8 | 13 | - | E.123 | (030) 1234567 | (12) 345
with the trunk prefix 0, in groups | 0\d{1,5}(?:[ .\/\-]{1,3}\d{1,8}){1,6} | 9 | 13 | - | E.123; ITU national numbering plans | 030 / 1234567 | 030 123
with the trunk prefix 0, in one piece | 0[1-9]\d{8,9} | 10 | 11 | - | ITU national numbering plans (DE, FR, GB, JP, TR, AU, IN and others) | 07700900123 | 077009001
RU | 8[ \-]?\(?[3489]\d{2}\)?[ \-]{0,2}\d{3}[ \-]?\d{2}[ \-]?\d{2}|7[ \-]\(?[3489]\d{2}\)?[ \-]{0,2}\d{3}[ \-]?\d{2}[ \-]?\d{2} | 11 | 11 | - | ITU national numbering plan of the Russian Federation | 8 (912) 345-67-89 | 8 112 345 67 89
CN, mobile | 1[3-9]\d(?:-\d{4}-\d{4}| \d{4} \d{4}|\d{8}) | 11 | 11 | - | ITU national numbering plan of China | 13812345678 | 12812345678
IN, mobile | [6-9]\d{4}[ \-]\d{5} | 10 | 10 | - | ITU national numbering plan of India | 98765 43210 | 58765 43210
ES, PT, PL, CZ and others: three groups of three | [5-9]\d{2}(?: \d{3} \d{3}|-\d{3}-\d{3}) | 9 | 9 | - | ITU national numbering plans of Spain, Portugal, Poland, Czechia | 612 345 678 | 112 345 678
ES, in pairs | [6-9]\d{2} \d{2} \d{2} \d{2} | 9 | 9 | - | ITU national numbering plan of Spain | 612 34 56 78 | 112 34 56 78
IT, mobile | 3\d{2}(?:[ .\/\-]\d{6,7}|[ .\-]\d{3}[ .\-]\d{3,4}|[ .\-]\d{2}[ .\-]\d{2}[ .\-]\d{3}) | 9 | 10 | - | ITU national numbering plan of Italy | 333 1234567 | 233 1234567
BR | (?:\d{2} )?9\d{4}-\d{4}|\d{2} 9 ?\d{4}[ \-]\d{4} | 9 | 11 | - | ITU national numbering plan of Brazil | 11 91234-5678 | 11 1234-5678
TR, mobile | (?:0 )?5\d{2} \d{3} \d{2} \d{2} | 10 | 11 | - | ITU national numbering plan of Türkiye | 532 123 45 67 | 132 123 45 67
AU, shared cost | 1[38]00[ \-]\d{3}[ \-]\d{3} | 10 | 10 | - | ACMA, numbering plan of Australia | 1300 123 456 | 1100 123 456
anywhere, after a word | \(?\d(?:[ ().\/\-]{0,3}\d){5,14}(?![ .\/\-]{1,2}\d) | 6 | 15 | announced | E.164: at most 15 digits | 555-1234 | 555
`;
