/**
 * Makes tests/supervision/rules/fixtures/marked-texts.jsonl: sentences of thirteen languages with personal data in them, made
 * up, and sentences with numbers that are none. The same to the byte each time. `tsx tools/training/make-marked-texts.ts`
 *
 * Every other sentence is held back: rules are written with the others in view.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { seeded } from "./seeded.js";

const folder = join(import.meta.dirname, "../../tests/supervision/rules/fixtures");
const templatesSchema = z.record(
  z.string(),
  z.object({ phones: z.array(z.string()), ids: z.array(z.string()), sentences: z.array(z.string()) }),
);
const templates = templatesSchema.parse(JSON.parse(readFileSync(join(folder, "marked-text-templates.json"), "utf8")));

const random = seeded(20261122);
const below = (n: number): number => Math.floor(random() * n);
const pick = (list: readonly string[]): string => list[below(list.length)] ?? "";
/** `#` is any digit, `%` one from 2 to 9. */
const digits = (form: string): string =>
  form.replace(/[#%]/g, (sign) => String(sign === "#" ? below(10) : 2 + below(8)));

function luhn(form: string): string {
  const body = digits(form);
  for (let check = 0; check < 10; check++) {
    let sum = 0;
    const all = `${body}${check}`.replace(/\D/g, "");
    for (const [index, character] of [...all].reverse().entries()) {
      const value = Number(character) * (index % 2 === 1 ? 2 : 1);
      sum += value > 9 ? value - 9 : value;
    }
    if (sum % 10 === 0) return `${body}${check}`;
  }
  return body;
}

function iban(country: string, form: string): string {
  const body = digits(form);
  const expand = (text: string) => text.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  const check = 98n - (BigInt(expand(`${body}${country}00`)) % 97n);
  const plain = `${country}${String(check).padStart(2, "0")}${body}`;
  return below(2) === 0 ? plain : plain.replace(/(.{4})(?=.)/g, "$1 ");
}

const names = ["anna", "j.doe", "mehmet_k", "li.wei", "o-brien", "info", "support+eu", "x9", "maria.rossi", "ivan77"];
const hosts = [
  "example.com",
  "mail.example.org",
  "firma-beispiel.de",
  "exemple.fr",
  "ejemplo.es",
  "uni.example.ac.uk",
  "example.co.jp",
];

function value(kind: string, phones: readonly string[], ids: readonly string[]): string {
  switch (kind) {
    case "phone":
      return digits(pick(phones));
    case "email":
      return `${pick(names)}@${pick(hosts)}`;
    case "card":
      return luhn(
        pick([
          "4### #### #### ###",
          "4##############",
          "5555-####-####-###",
          "3782 ###### ####",
          "6011 #### #### ###",
          "2131##########",
          "6761#######",
        ]),
      );
    case "iban":
      return pick(["DE", "FR", "ES", "IT", "NL", "GB"]).replace(/.+/, (country) =>
        iban(country, ibanBody[country] ?? ""),
      );
    case "nationalId":
      return pick(ids);
    case "ip":
      return below(3) === 0
        ? `2a0${below(10)}:${hex()}:${hex()}::${hex()}`
        : `${pick(["8", "51", "81", "93", "145", "203"])}.${below(256)}.${below(256)}.${1 + below(254)}`;
    default:
      throw new Error(`no kind ${kind}`);
  }
}

const ibanBody: Readonly<Record<string, string>> = {
  DE: "##################",
  FR: "20041010050500013M02606".replace(/\d/g, "#"),
  ES: "####################",
  IT: "X0542811101000000123456".replace(/\d/g, "#"),
  NL: "ABNA##########",
  GB: "WEST##############",
};
const hex = (): string => (4096 + below(61_000)).toString(16);

const lines: string[] = [];
for (const [lang, { phones, ids, sentences }] of Object.entries(templates)) {
  for (const [index, sentence] of sentences.entries()) {
    for (let copy = 0; copy < 2; copy++) {
      let text = "";
      const spans: { start: number; end: number; kind: string }[] = [];
      for (const part of sentence.split(/(\{\w+\})/)) {
        const kind = /^\{([A-Za-z]+)\}$/.exec(part)?.[1];
        const words = kind === undefined ? digits(part) : value(kind, phones, ids);
        if (kind !== undefined) spans.push({ start: text.length, end: text.length + words.length, kind });
        text += words;
      }
      lines.push(JSON.stringify({ text, spans, lang, split: index % 2 === 0 ? "tuning" : "held back" }));
    }
  }
}
writeFileSync(join(folder, "marked-texts.jsonl"), `${lines.join("\n")}\n`);
