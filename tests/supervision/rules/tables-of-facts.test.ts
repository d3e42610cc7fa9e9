import { describe, expect, it } from "vitest";
import { cardIssuers } from "../../../src/supervision/rules/personal/card-issuers.js";
import { isCard } from "../../../src/supervision/rules/personal/cards.js";
import type { Evidence } from "../../../src/supervision/rules/personal/context.js";
import { letteredIdForms, numericIdForms } from "../../../src/supervision/rules/personal/national-id-forms.js";
import { phoneForms } from "../../../src/supervision/rules/personal/phone-forms.js";
import { otherNumberWords, phoneWords } from "../../../src/supervision/rules/personal/phone-words.js";
import { announcingWords } from "../../../src/supervision/rules/secret/announcing-words.js";
import { keyForms } from "../../../src/supervision/rules/secret/key-forms.js";
import { keyFrom } from "./made-up-keys.js";
import { finds, redacting } from "./support.js";

const idsIn = (text: string) => finds({ type: "personalData", kinds: ["nationalId"] }, text);
const phonesIn = (text: string) => finds({ type: "personalData", kinds: ["phone"] }, text);
const secretsIn = (text: string) => finds({ type: "secrets" }, text);

describe("tables", () => {
  const tables: Record<string, readonly (Partial<Evidence> & { readonly key: string })[]> = {
    "forms of keys": keyForms().map((row) => ({ key: row.kind, ...row })),
    "national ids": [...numericIdForms(), ...letteredIdForms()].map((row) => ({ key: row.name, ...row })),
    "payment cards": cardIssuers().map((row) => ({ key: row.name, ...row })),
    "forms of telephone numbers": phoneForms().map((row) => ({ key: row.region, ...row })),
    "words for telephone numbers": phoneWords().map(({ language }) => ({ key: language })),
    "words for other numbers": otherNumberWords().map(({ language }) => ({ key: language })),
    "words for secrets": announcingWords().map(({ use, language, words }) => ({
      key: `${use} ${language} ${words[0]}`,
    })),
  };

  it.each(Object.entries(tables))("of %s say each thing once, with its evidence", (_name, rows) => {
    expect(rows.length).toBeGreaterThan(10);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    for (const row of rows) for (const column of Object.values(row)) expect(column, row.key).not.toBe("");
  });

  it("of words say each word once", () => {
    for (const { words } of [...phoneWords(), ...otherNumberWords(), ...announcingWords()])
      expect(new Set(words).size, words.join()).toBe(words.length);
  });
});

describe("national ids", () => {
  it.each([...numericIdForms(), ...letteredIdForms()])("$name", ({ example, counterExample, words }) => {
    const id = words === undefined ? example : example.replace(/^[\p{L} ]+ /u, "");
    expect(idsIn(`Form: ${example}.`)).toEqual([id]);
    expect(idsIn(`表格${example}已核实`)).toEqual([id]);
    expect(idsIn(`Form: ${counterExample}.`)).toEqual([]);
    if (words !== undefined) expect(idsIn(`Form: ${id}.`)).toEqual([]);
  });
});

describe("payment cards", () => {
  it.each(cardIssuers())("of $name", ({ example, counterExample }) => {
    expect(isCard(example)).toBe(true);
    expect(isCard(counterExample)).toBe(false);
  });
});

describe("forms of telephone numbers", () => {
  it.each(phoneForms())("$region", ({ example, counterExample, needsWord }) => {
    const before = needsWord ? "phone:" : "see";
    expect(phonesIn(`${before} ${example} there`)).toEqual([example]);
    expect(phonesIn(`${before} ${counterExample} there`)).toEqual([]);
  });
});

describe("words before numbers", () => {
  it.each(phoneWords())("announce a telephone number in $language", ({ words }) => {
    for (const word of words) expect(phonesIn(`${word.replace("*", "")}: 415 5551 22`), word).toEqual(["415 5551 22"]);
  });

  it.each(otherNumberWords())("announce another number in $language", ({ words }) => {
    for (const word of words) expect(phonesIn(`${word.replace("*", "")}: 0815 471122`), word).toEqual([]);
  });
});

describe("keys known by their form", () => {
  it.each(keyForms())("$kind", ({ example, counterExample }) => {
    for (let seed = 1; seed <= 5; seed++) {
      const key = keyFrom(example, seed);
      for (const text of [`Use ${key}`, `{"a":"${key}"}`, `值${key}值`]) {
        expect(redacting({ type: "secrets" }).judge(text).text).toContain("[secret]");
        expect(redacting({ type: "secrets" }).judge(text).text).not.toContain(key.slice(-8));
      }
    }
    expect(secretsIn(`see ${counterExample} there`)).toEqual([]);
  });
});

describe("names that announce a secret", () => {
  const announcements: Record<string, string> = {
    en: "the wifi password is",
    de: "das Passwort für das WLAN lautet",
    fr: "le mot de passe est",
    es: "la contraseña del wifi es",
    pt: "a senha é",
    it: "la password è",
    nl: "het wachtwoord is",
    pl: "hasło:",
    sv: "lösenordet är",
    ru: "пароль от почты —",
    zh: "密码是",
    ja: "パスワードは",
    ko: "비밀번호는",
    ar: "كلمة المرور هي",
    hi: "पासवर्ड है",
    tr: "şifrem:",
  };

  const languages = announcingWords().flatMap(({ use, language }) => (use === "secret" ? language : []));

  it.each(languages)("in %s", (language) => {
    expect(secretsIn(`${announcements[language]} Kx29mmq!7`)).toEqual(["Kx29mmq!7"]);
    expect(secretsIn(`${announcements[language]} /etc/pass1`)).toEqual([]);
  });
});
