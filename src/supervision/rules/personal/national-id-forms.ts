/** National identity, tax and social security numbers that can be told from other numbers: their forms and what they satisfy. */
import { lazily } from "../../../text/lazily.js";
import { readTable } from "../../../text/table.js";
import type { Evidence } from "./context.js";
import { checkOf } from "./national-id-checks.js";

export interface NationalIdForm extends Evidence {
  /** ISO 3166 country and the number's name. */
  readonly name: string;
  /** JavaScript syntax, without groups that capture; for those with letters common to RE2, in upper case. */
  readonly form: string;
  /** Whether a text of that form can be such a number: check digits, dates, ranges given out. */
  readonly isValid: (text: string) => boolean;
  /** The form alone is too common: only after one of these words, in lower case. `*` stands for an ending. */
  readonly words: readonly string[] | undefined;
}

const rowsOf = (table: string): readonly NationalIdForm[] =>
  readTable(table, (name, form, check, words, source, example, counterExample) => ({
    name,
    form,
    isValid: checkOf(check),
    words: words === "-" ? undefined : words.split(", "),
    source,
    example,
    counterExample,
  }));

/** Those made of digits and separators. */
export const numericIdForms = lazily(() => rowsOf(numericTable));

/** Those with letters in them, in upper case. */
export const letteredIdForms = lazily(() => rowsOf(letteredTable));

const numericTable = String.raw`
# number | form | check (national-id-checks.ts) | words | source | example | counter-example
US social security number | \d{3}(?:-\d{2}-| \d{2} )\d{4} | us ssn | - | SSA, randomization of 2011: areas, groups and serials never given out | 123-45-6789 | 666-45-6789
US social security number, in one piece | \d{9} | us ssn, in one piece | ssn, social security*, social sec* | SSA, randomization of 2011 | SSN 123456789 | 123456789
FR NIR | [1-478] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d{2} ?\d{3} ?\d{3} ?\d{2} | fr nir | - | INSEE, NIR; key: 97 less the remainder | 1 85 05 78 006 084 91 | 1 85 05 78 006 084 37
PL PESEL | \d{11} | pl pesel | - | Act on the population register of 24 September 2010 | 44051401359 | 44051401358
DE tax identification number | [1-9]\d ?\d{3} ?\d{3} ?\d{3} | de tax | - | BZSt, IdNr: ISO 7064 MOD 11,10; one digit of the first ten comes twice or three times | 86 095 742 719 | 86 095 742 718
BR CPF | \d{3}\.\d{3}\.\d{3}-\d{2} | br cpf | - | Receita Federal, CPF: two check digits MOD 11 | 529.982.247-25 | 529.982.247-26
BR CPF, in one piece | \d{11} | br cpf | cpf | Receita Federal, CPF | CPF 52998224725 | CPF 52998224726
NL BSN, with dots | \d{4}\.\d{2}\.\d{3} | nl bsn | - | RvIG, BSN: elevenfold test | 1112.22.333 | 1112.22.334
NL BSN | \d{9}|\d{3} \d{3} \d{3} | nl bsn | bsn, burgerservicenummer*, sofinummer*, burger service nummer | RvIG, BSN: elevenfold test | BSN 111222333 | BSN 111222334
BE national number | \d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2} | be | - | Royal decree of 3 April 1984; after 2000 with a 2 before | 85.07.30-033.28 | 85.07.30-033.29
SE personal identity number | (?:19|20)?\d{2}[01]\d[0-3]\d[\-+]\d{4} | se | - | Skatteverket, SKV 704 | 811228-9874 | 811228-9875
DK CPR number | [0-3]\d[01]\d{3}-\d{4} | day and month | - | CPR-kontoret; check digits no longer given since 2007 | 131052-1234 | 321352-1234
NO birth number | \d{6} ?\d{5} | no | - | Skatteetaten, fødselsnummer: two check digits MOD 11 | 15108695088 | 15108695087
CZ and SK birth number | \d{6}\/\d{4} | cz | - | Act 133/2000 Coll. | 710319/2745 | 710319/2746
RO CNP | [1-8]\d{12} | ro cnp | - | Law 105/1996 | 1630615123457 | 1630615123458
CA social insurance number | [1-79]\d{2}-\d{3}-\d{3} | luhn | - | Service Canada, SIN | 130-692-544 | 130-692-545
CA social insurance number, with spaces | [1-79]\d{2} ?\d{3} ?\d{3} | luhn | sin, nas, social insurance*, assurance sociale | Service Canada, SIN | SIN 130 692 544 | SIN 130 692 545
CH AHV number | 756\.?\d{4}\.?\d{4}\.?\d{2} | 1 3 1 3 1 3 1 3 1 3 1 3 1 % 10 | - | ZAS, AHVN13: check digit of EAN-13 | 756.9217.0769.85 | 756.9217.0769.84
PT NIF | [1-3568]\d{8}|[1-3568]\d{2} \d{3} \d{3} | pt nif | nif, contribuinte*, identificação fiscal, número fiscal | Decreto-Lei 14/2013; check digit MOD 11 | NIF 123456789 | NIF 123456788
RU SNILS | \d{3}-\d{3}-\d{3}[ \-]\d{2} | ru snils | - | SFR, SNILS: sum of digits by place, MOD 101 | 112-233-445 95 | 112-233-445 96
RU SNILS, in one piece | \d{11} | ru snils | снилс*, snils | SFR, SNILS | СНИЛС 11223344595 | СНИЛС 11223344596
RU INN | \d{10}|\d{12} | ru inn | инн, inn | FNS, INN: check digits MOD 11 | ИНН 500100732259 | ИНН 500100732258
CN resident identity number | [1-9]\d{5}(?:19|20)\d{2}[01]\d[0-3]\d{4}\d | cn | - | GB 11643-1999: ISO 7064 MOD 11-2 | 11010519491231002X | 110105194912310021
JP My Number | \d{12}|\d{4}[ \-]\d{4}[ \-]\d{4} | jp | マイナンバー, 個人番号, my number, mynumber | Ministry of Internal Affairs, ordinance 85 of 2014, article 5 | マイナンバー 123456789018 | マイナンバー 123456789012
IN Aadhaar, in groups | (?<!\d[ -])[2-9]\d{3}(?: \d{4} |-\d{4}-)\d{4}(?![ -]\d) | verhoeff | - | UIDAI, Aadhaar: Verhoeff | 2341 2341 2346 | 2341 2341 2345
IN Aadhaar | [2-9]\d{11} | verhoeff | aadhaar*, aadhar*, adhaar*, uid, uidai, आधार | UIDAI, Aadhaar: Verhoeff | Aadhaar 234123412346 | Aadhaar 234123412345
TR identity number | [1-9]\d{10} | tr | - | NVI, T.C. kimlik no: two check digits | 10000000146 | 10000000147
KR resident registration number | \d{6}-[1-8]\d{6} | year, month and day | - | Resident Registration Act; check digits no longer given since 2020 | 851231-1234567 | 851331-1234567
AR CUIT and CUIL | (?:2[03457]|3[034])-\d{8}-\d | 5 4 3 2 7 6 5 4 3 2 1 % 11 | - | AFIP, CUIT: MOD 11 | 20-05536168-2 | 20-05536168-3
TH identity number | [1-8](?:-\d{4}-\d{5}-\d{2}-| \d{4} \d{5} \d{2} )\d | th | - | Department of Provincial Administration | 3-1005-06128-56-7 | 3-1005-06128-56-5
TH identity number, in one piece | [1-8]\d{12} | th | thai id*, thai national id*, thailand id*, เลขบัตรประชาชน, บัตรประชาชน, เลขประจำตัว | Department of Provincial Administration | Thai ID 3100506128567 | Thai ID 3100506128565
GB NHS number | \d{3}[ -]?\d{3}[ -]?\d{4} | 10 9 8 7 6 5 4 3 2 1 % 11 | nhs* | NHS Data Dictionary: MOD 11 | NHS 943 476 5919 | NHS 943 476 5918
US individual taxpayer number | 9\d{2}(?:-\d{2}-| \d{2} )\d{4} | us itin | - | IRS, ITIN: groups 50 to 65, 70 to 88, 90 to 92, 94 to 99 | 912-71-1234 | 912-67-1234
US individual taxpayer number, in one piece | 9\d{8} | us itin | itin*, taxpayer*, tax id* | IRS, ITIN | ITIN 912711234 | ITIN 912671234
ZA identity number | \d{6} ?\d{4} ?[01]\d{2} | za | south african*, sa id*, rsa id*, za id*, id number, identity number, said | Department of Home Affairs: date of birth, serial, citizenship, Luhn | ID number 9202204720083 | ID number 9202204720082
PH PhilSys numbers | \d{4}[ -]?\d{4}[ -]?\d{4}(?:[ -]?\d{4})? | ph | philsys*, psn, pcn, philid, philippine id*, phil id | PSA, Philippine Identification System: PSN of 12 digits, card number of 16 | PSN 1234-5678-9012 | PSN 1234-5678-901
AU tax file number | \d{3} ?\d{3} ?\d{3} | 1 4 3 7 5 8 6 9 10 % 11 | tfn, tax file number | ATO, TFN: MOD 11 | TFN 876 543 210 | TFN 876 543 211
HR OIB | \d{11} | mod 11,10 | oib | Porezna uprava, OIB: ISO 7064 MOD 11,10 | OIB 33392005961 | OIB 33392005962
`;

const letteredTable = String.raw`
# number | form | check (national-id-checks.ts) | words | source | example | counter-example
ES DNI | [0-9]{8}[- ]?[A-Z]|[0-9]{2}\.[0-9]{3}\.[0-9]{3}[- ]?[A-Z] | es | - | Royal decree 1553/2005: letter by the remainder of 23 | 12345678Z | 12345678A
ES NIE | [XYZ][- ]?[0-9]{7}[- ]?[A-Z] | es | - | Order INT/2058/2008 | X1234567L | X1234567A
DE social security number | [0-9]{2} ?[0-9]{6} ?[A-Z] ?[0-9]{3} | de pension | - | VKVV § 4: the letter as its place in the alphabet, weights 2 1 2 5 7 1 2 1 2 1 2 1, sum of the digits of the products | 15 070649 C 103 | 15 070649 C 104
GB national insurance number | [A-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D] | gb nino | - | HMRC, NIM39110: prefixes not given out | AB 12 34 56 C | BG123456C
IT codice fiscale | [A-Z]{6} ?[0-9L-NP-V]{2}[A-EHLMPRST][0-9L-NP-V]{2} ?[A-Z][0-9L-NP-V]{3}[A-Z] | it | - | Decree of 23 December 1976 | RSSMRA85T10A562S | RSSMRA85T10A562X
FR NIR, Corsica | [12] ?[0-9]{2} ?[0-9]{2} ?2[AB] ?[0-9]{3} ?[0-9]{3} ?[0-9]{2} | fr corsica | - | INSEE, NIR: 2A counts as 19, 2B as 18 | 1 85 05 2A 006 084 35 | 1 85 05 2A 006 084 36
CN resident identity number, with X | [1-9][0-9]{5}(?:19|20)[0-9]{2}[01][0-9][0-3][0-9]{4}X | cn | - | GB 11643-1999: ISO 7064 MOD 11-2 | 11010519491231002X | 11010519491231003X
IN PAN | [A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z] | in pan | - | Income Tax Department: the fourth letter is the kind of holder | ABCPE1234F | ABCDE1234F
MX CURP | [A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9] | mx curp | - | RENAPO, CURP | HEGG560427MVZRRL04 | HEGG561427MVZRRL04
CL RUT | [0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9K] | cl rut | - | Registro Civil, RUT: MOD 11 | 12.531.909-2 | 12.531.909-3
FI personal identity code | [0-3][0-9][01][0-9]{3}[-+A-FU-Y][0-9]{3}[0-9A-FHJ-NPR-Y] | fi | - | DVV, henkilötunnus: remainder of 31 | 131052-308T | 131052-308U
SG NRIC and FIN | [STFG][0-9]{7}[A-Z] | sg | - | ICA, NRIC | S1234567D | S1234567A
TW identity number | [A-Z][1289][0-9]{8} | tw | - | Ministry of the Interior | A123456789 | A123456788
IE PPS number | [0-9]{7}[A-W][A-IW]? | ie pps | pps*, ppsn | Department of Social Protection: remainder of 23 | PPS 1234567T | PPS 1234567A
`;
