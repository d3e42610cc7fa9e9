/** The figures that seats estimate, read out of their positions, and between which of them the panel lies: median and quartiles. */
import { z } from "zod";
import { type Token, tokensOf } from "./consensus/tokens.js";
import type { Position } from "./position.js";

export const estimatesSchema = z.object({
  /** What the figures count, in a seat's word; absent where nothing is said. */
  unit: z.string().optional(),
  /** Of how many seats. */
  count: z.int(),
  least: z.number(),
  lowerQuartile: z.number(),
  median: z.number(),
  upperQuartile: z.number(),
  most: z.number(),
});
export type Estimates = z.infer<typeof estimatesSchema>;

/** What stands for "to" between the ends of a range, where tokens leave such words out. */
const rangeMark = "rangeto";
const ranges =
  /([\d%€$£¥]) {1,3}(?:to|and|or|bis|und|oder|à|a|et|ou|y|e|o|tot|en|do|[\u2010-\u2015\u2212-]) {1,3}(?=[\d€$£¥])/gi;

interface Figure {
  readonly value: number;
  /** Words that may be its unit, the nearest first. */
  readonly units: readonly Token[];
}

/**
 * The figures of the unit that most seats name, one a seat: its first, of a range the middle. More than half of the seats have to have one.
 * @example estimatesOf([position("ana", "10 to 14 days."), position("ben", "About 20 days.")]) // {unit: "days", count: 2, median: 16, …}
 */
export function estimatesOf(positions: readonly Pick<Position, "position">[]): Estimates | undefined {
  const seats = positions.map(({ position }) => figuresOf(position));
  const units = new Map<string, { readonly word: string; readonly distance: number; count: number }>();
  for (const figures of seats) {
    const counted = new Set<string>();
    for (const [distance, { key, word }] of figures.flatMap(({ units: near }) => [...near.entries()])) {
      if (counted.has(key)) continue;
      counted.add(key);
      const known = units.get(key) ?? { word, distance, count: 0 };
      units.set(key, { ...known, distance: Math.min(known.distance, distance), count: known.count + 1 });
    }
  }
  const shared = [...units]
    .filter(([, { count }]) => count >= 2 && count > seats.length / 2)
    .toSorted(([, a], [, b]) => b.count - a.count || a.distance - b.distance)[0];
  const values = seats.flatMap((figures) => {
    const figure =
      shared === undefined ? figures[0] : figures.find(({ units: near }) => near.some(({ key }) => key === shared[0]));
    return figure === undefined ? [] : [figure.value];
  });
  if (values.length < 2 || values.length <= seats.length / 2) return undefined;
  return { ...(shared === undefined ? {} : { unit: shared[1].word }), count: values.length, ...quartilesOf(values) };
}

const signs: Readonly<Record<string, string>> = {
  "%": "percent",
  "€": "euros",
  $: "dollars",
  "£": "pounds",
  "¥": "yen",
};

const signWords: ReadonlySet<string> = new Set(Object.values(signs));
/** A number with whatever its parts are separated by, the sign before it, and a letter that makes a name of it: "Q3", "v2". */
const numbers = /[A-Za-z]?[-+\u2212]?\d[\d.,:/\u2010-\u2015\u2212-]*/g;

function figuresOf(text: string): Figure[] {
  // Labels of answers are no estimates.
  const plain = text
    .normalize("NFKC")
    .replace(/\[[CS]\d{1,4}\]/g, "")
    .replace(ranges, `$1 ${rangeMark} `)
    .replace(/[%€$£¥]/g, (sign) => ` ${signs[sign]} `)
    .replace(numbers, plainNumber);
  const tokens = tokensOf(plain);
  const figures: Figure[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const value = numberOf(tokens[at]);
    if (value === undefined) continue;
    const end = rangeEnd(tokens, at);
    const upper = numberOf(tokens[end]) ?? value;
    const before = tokens.slice(Math.max(0, at - 1), at).filter(({ word }) => signWords.has(word));
    const after = tokens.slice(end + 1, end + 3);
    const units = [...before, ...after.slice(0, after.findIndex((token) => !isWord(token)) + 1 || 2).filter(isWord)];
    figures.push({ value: (value + upper) / 2, units });
    at = end;
  }
  return figures;
}

/** Where "10 to 14 days", "5 % to 10 %" or "$5 to $10" ends: the place of its second figure, of a single one its own. */
function rangeEnd(tokens: readonly Token[], at: number): number {
  const pastSigns = (place: number): number => (signWords.has(tokens[place]?.word ?? "") ? place + 1 : place);
  const word = pastSigns(at + 1);
  if (tokens[word]?.word !== rangeMark) return at;
  const end = pastSigns(word + 1);
  return numberOf(tokens[end]) === undefined ? at : end;
}

/**
 * A number as every language writes it: digits and a point. What is none (a date, a time, a version) or below zero is left out, and so is what may
 * be two numbers.
 * @example plainNumber("1.500,50") // "1500.500000", with too many decimals to be taken for thousands
 * @example plainNumber("10–14") // "10 rangeto 14"
 */
function plainNumber(written: string): string {
  const [, body = "", end = ""] = /^(.*?\d)([.,:/-]*)$/.exec(written.replace(/[\u2010-\u2015\u2212]/g, "-")) ?? [];
  const [low, high, ...more] = body.split("-").map(decimalOf);
  const isWhole = more.length === 0 && low !== undefined && (high !== undefined || !body.includes("-"));
  return isWhole ? `${[low, high].filter((one) => one !== undefined).join(` ${rangeMark} `)}${end}` : ` ${end}`;
}

function decimalOf(written: string): string | undefined {
  const [whole = "", ...groups] = written.replace(/^\+/, "").split(/[.,]/);
  if (!/^(?:0|[1-9]\d*)$/.test(whole) || !groups.every((group) => /^\d+$/.test(group))) return undefined;
  const separators = written.replace(/[^.,]/g, "");
  const isThousands = (count: number): boolean =>
    whole !== "0" && whole.length <= 3 && groups.slice(0, count).every((group) => group.length === 3);
  if (groups.length === 0) return whole;
  const [first = "", last = ""] = [separators.at(0), separators.at(-1)];
  if (separators === first.repeat(groups.length)) {
    // "1.500" is so many thousands; "2.375" may be either.
    if (isThousands(groups.length))
      return groups.length > 1 || first === "," || written.endsWith("0") ? whole + groups.join("") : undefined;
    return groups.length === 1 ? `${whole}.${groups[0]}0000` : undefined;
  }
  const isGrouped = separators === first.repeat(groups.length - 1) + last && isThousands(groups.length - 1);
  return isGrouped ? `${whole}${groups.slice(0, -1).join("")}.${groups.at(-1)}0000` : undefined;
}

function isWord(token: Token | undefined): boolean {
  return token?.kind === "word";
}

function numberOf(token: Token | undefined): number | undefined {
  // Months and days of the week are figures, too.
  const value = token?.kind === "figure" && /^\p{N}/u.test(token.word) ? Number(token.key) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

type Quartiles = Pick<Estimates, "least" | "lowerQuartile" | "median" | "upperQuartile" | "most">;

/** Between two values in proportion, as spreadsheets count them. @param values at least one */
export function quartilesOf(values: readonly number[]): Quartiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => {
    const place = (sorted.length - 1) * share;
    const below = sorted[Math.floor(place)] ?? 0;
    const above = sorted[Math.ceil(place)] ?? below;
    return Math.round((below + (above - below) * (place % 1)) * 1_000) / 1_000;
  };
  return { least: at(0), lowerQuartile: at(0.25), median: at(0.5), upperQuartile: at(0.75), most: at(1) };
}

/** For the seats: how sure they were, and between which figures they lie. */
export function estimatesText(positions: readonly Position[]): string[] {
  const words = ({ median, lowerQuartile, upperQuartile, least, most }: Quartiles) =>
    `median ${median}, quartiles ${lowerQuartile} and ${upperQuartile}, from ${least} to ${most}`;
  const estimates = estimatesOf(positions);
  return [
    `confidence: ${words(quartilesOf(positions.map(({ confidence }) => confidence)))}`,
    ...(estimates === undefined
      ? []
      : [
          `estimates${estimates.unit === undefined ? "" : ` in ${estimates.unit}`} (${estimates.count} of ${positions.length}): ${words(estimates)}`,
        ]),
  ];
}
