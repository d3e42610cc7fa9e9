import { stdnum } from "stdnum";
import { describe, expect, it } from "vitest";
import { letteredIdForms, numericIdForms } from "../../../src/supervision/rules/personal/national-id-forms.js";
import { seeded } from "./support.js";

/** The library's name of the number that a row of the table is about, and how made-up ones look. */
const rows: readonly [name: string, country: string, key: string, form: string][] = [
  ["PL PESEL", "PL", "pesel", "##0#1######"],
  ["DE tax identification number", "DE", "idnr", "8609574271#"],
  ["BR CPF, in one piece", "BR", "cpf", "529982247##"],
  ["NL BSN", "NL", "bsn", "1112223##"],
  ["PT NIF", "PT", "nif", "2########"],
  ["TR identity number", "TR", "tckimlik", "100000001##"],
  ["IN Aadhaar", "IN", "aadhaar", "2341234123##"],
  ["ES DNI", "ES", "dni", "1234567#?"],
  ["CH AHV number", "CH", "ssn", "75692170769##"],
];

describe("check digits of national numbers", () => {
  it.each(rows)("%s are those of another library", (name, country, key, form) => {
    const validate = (number: string) => stdnum[country]?.[key]?.validate(number).isValid;
    const row = [...numericIdForms(), ...letteredIdForms()].find((each) => each.name === name);
    const random = seeded(name.length);
    let valid = 0;
    for (let round = 0; round < 2_000; round++) {
      const digits = form.replace(/#/g, () => String(Math.floor(random() * 10)));
      const number = digits.replace("?", () => String.fromCharCode(65 + Math.floor(random() * 26)));
      if (validate(number)) valid += 1;
      expect(row?.isValid(number), number).toBe(validate(number));
    }
    expect(valid).toBeGreaterThan(0);
  });
});
