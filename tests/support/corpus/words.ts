/** What texts of the corpus are made of: sentences in fourteen languages, names, technical words. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Chance } from "./chance.js";

const linesOf = (file: string): string[] =>
  readFileSync(join(import.meta.dirname, file), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "));

/** First names of the whole world, see README.md. */
export const names: readonly string[] = linesOf("names.txt");

export type SentenceKind = "message" | "question" | "statement" | "request" | "roleplay";

interface Language {
  readonly name: string;
  readonly things: readonly string[];
  readonly days: readonly string[];
  readonly sentences: ReadonlyMap<string, readonly string[]>;
}

const readLanguages = (): Language[] => {
  const languages: { name: string; rows: [kind: string, text: string][] }[] = [];
  for (const line of linesOf("sentences.txt")) {
    const head = /^\[([a-z]{2})\]$/.exec(line)?.[1];
    if (head !== undefined) languages.push({ name: head, rows: [] });
    else {
      const colon = line.indexOf(": ");
      languages.at(-1)?.rows.push([line.slice(0, colon), line.slice(colon + 2).replaceAll("\\n", "\n")]);
    }
  }
  return languages.map(({ name, rows }) => {
    const row = (kind: string) => rows.find(([of]) => of === kind)?.[1].split("|") ?? [];
    const groups = Map.groupBy(rows, ([kind]) => kind);
    const sentences = new Map([...groups].map(([kind, group]) => [kind, group.map(([, text]) => text)]));
    return { name, things: row("things"), days: row("days"), sentences };
  });
};

const all = readLanguages();
export const languages: readonly string[] = all.map(({ name }) => name);
const cities =
  "Lisbon|Graz|Tampere|Ghent|Izmir|Kyoto|Recife|Leeds|Bari|Lyon|Aarhus|Pune|Busan|Oaxaca|Krakow|Tartu|Oslo|Accra".split(
    "|",
  );

/** A sentence in a language, its slots filled. */
export function sentence(
  chance: Chance,
  kind: SentenceKind,
  lang = chance.pick(languages),
  person = chance.pick(names),
): string {
  const language = all.find(({ name }) => name === lang);
  if (language === undefined) throw new RangeError(`no sentences in ${lang}`);
  const filled = chance
    .pick(language.sentences.get(kind) ?? [])
    .replaceAll("{thing}", () => chance.pick(language.things))
    .replaceAll("{day}", () => chance.pick(language.days))
    .replaceAll("{name}", () => person)
    .replaceAll("{city}", () => chance.pick(cities))
    .replaceAll("{n}", () => String(chance.between(2, 90)));
  return filled.replaceAll("{text}", () => paragraph(chance, 1, 3, chance.pick(languages)));
}

/** Sentences of one language as they stand in a message or a document. */
export function paragraph(chance: Chance, least: number, most: number, lang = chance.pick(languages)): string {
  const kind = chance.percent(50) ? "statement" : "message";
  const parts = chance.list(least, most, () => sentence(chance, chance.percent(20) ? "question" : kind, lang));
  return parts.join(lang === "zh" || lang === "ja" ? "" : " ");
}

export const city = (chance: Chance): string => chance.pick(cities);

/** Words of programs, tables and settings. */
const technical =
  `account active address age amount archive area author batch billing body branch bucket cache cart category channel client code color column comment commit config
content count country created currency customer data date default delta depth description device digest discount domain draft due email enabled end engine entry error event expires extra field file
filter flag flags format from group hash header height host id image index input interval inventory invoice item items job key kind label lang last latitude length level limit line link list locale lock
login map max memo message meta method min mode model modified month name next node note number offset open option order origin output owner page parent part path payload percent period phone pin plan
point port position price priority product profile progress public quantity queue rate ratio reason ref region release reply report request result retry role room route row rule scale schema scope score
section seen segment sender sequence service session shape shipping side size slot sort source stage start state status step stock store street style subject sum system table tag target task tax team
text threshold ticket time title token topic total trace type unit updated url usage user value variant version view visible volume warehouse weight width window worker year zone`.split(
    /\s+/,
  );

export const word = (chance: Chance): string => chance.pick(technical);
/** Two or three words in the manner of a language: `order_item`, `orderItem`, `order-item`, `OrderItem`. */
export function identifier(chance: Chance, manner: "snake" | "camel" | "kebab" | "pascal" = "camel"): string {
  const words = chance.list(1, 3, () => word(chance));
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  switch (manner) {
    case "snake":
      return words.join("_");
    case "kebab":
      return words.join("-");
    case "camel":
      return words.map((text, at) => (at === 0 ? text : capital(text))).join("");
    case "pascal":
      return words.map(capital).join("");
  }
}

/** A value as it stands in a record. */
export function scalar(chance: Chance): string | number | boolean | null {
  switch (chance.below(9)) {
    case 0:
      return chance.percent(50);
    case 1:
      return chance.below(1_000);
    case 2:
      return Math.round(chance.below(1_000_000) / 7) / 100;
    case 3:
      return word(chance);
    case 4:
      return chance.date();
    case 5:
      return `${word(chance)}_${chance.hex(10)}`;
    case 6:
      return chance.percent(50) ? null : "";
    case 7:
      return chance.pick(["EUR", "pending", "gold", "v2", "application/json", "N/A", "a/b", "≥ 3", "15 kg", "#fff"]);
    default:
      return city(chance);
  }
}

/** A record, nested up to a depth. */
export function record(chance: Chance, depth: number, withText = 0): Record<string, unknown> {
  const manner = chance.pick(["snake", "camel", "kebab"] as const);
  const entries = chance.list(1, depth === 0 ? 4 : 6, (): [string, unknown] => [
    identifier(chance, manner),
    chance.percent(withText) ? paragraph(chance, 1, 2) : value(chance, depth, withText),
  ]);
  return Object.fromEntries(entries);
}

function value(chance: Chance, depth: number, withText: number): unknown {
  if (depth > 0 && chance.percent(25)) return record(chance, depth - 1, withText);
  if (depth > 0 && chance.percent(20))
    return chance.list(0, 4, () => (chance.percent(50) ? scalar(chance) : record(chance, depth - 1, withText)));
  return scalar(chance);
}
