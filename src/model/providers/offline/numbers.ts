/** Numbers for a schema: from the text where it has a fitting one, else the default, else the least that is allowed. */
import { numberOf, type Schema } from "./schema-reading.js";
import { identifierWords, stem, stems } from "./words.js";

/**
 * A number that the schema allows, as far as its bounds can be met.
 * @param guessedAmong how many values a choice was a guess among, which is what a confidence then says; 0: it was none.
 */
export function fillNumber(schema: Schema, name: string, text: string, ordinal: number, guessedAmong = 0): number {
  const whole = schema.type === "integer" || (Array.isArray(schema.type) && schema.type.includes("integer"));
  const step = positive(numberOf(schema, "multipleOf")) ?? (whole ? 1 : undefined);
  const bounds = boundsOf(schema, step);
  const allowed = (value: number) =>
    value >= bounds.least && value <= bounds.most && (step === undefined || isMultiple(value, step));

  const written = /confidence|probability|likelihood/i.test(name) ? [] : numbersIn(text, name);
  const sure = guessedAmong > 0 ? Math.round(100 / guessedAmong) / 100 : 0.5;
  const preferred = [...written, numberOf(schema, "default"), /confidence|probability/i.test(name) ? sure : undefined];
  const base = preferred.find((value) => value !== undefined && allowed(value)) ?? leastOf(bounds, step);
  const next = base + ordinal * (step ?? 1);
  return ordinal > 0 && allowed(next) ? next : base;
}

function boundsOf(schema: Schema, step: number | undefined): { least: number; most: number } {
  const above = numberOf(schema, "exclusiveMinimum");
  const below = numberOf(schema, "exclusiveMaximum");
  const lowest = Math.max(numberOf(schema, "minimum") ?? Number.NEGATIVE_INFINITY, above ?? Number.NEGATIVE_INFINITY);
  const highest = Math.min(numberOf(schema, "maximum") ?? Number.POSITIVE_INFINITY, below ?? Number.POSITIVE_INFINITY);
  // Half-way into an open interval is safe whatever its width.
  const room = Number.isFinite(highest - lowest) ? (highest - lowest) / 2 : 1;
  const nudge = step ?? room;
  return {
    least: lowest === above ? nextAbove(lowest, nudge, step) : lowest,
    most: highest === below ? -nextAbove(-highest, nudge, step) : highest,
  };
}

function nextAbove(bound: number, nudge: number, step: number | undefined): number {
  if (step === undefined) return bound + nudge;
  const rounded = Math.ceil(bound / step) * step;
  return rounded > bound ? rounded : rounded + step;
}

function leastOf({ least, most }: { least: number; most: number }, step: number | undefined): number {
  const start = least > 0 ? least : most < 0 ? most : 0;
  if (step === undefined || isMultiple(start, step)) return start;
  const up = Math.ceil(start / step) * step;
  return up <= most ? up : Math.floor(start / step) * step;
}

function isMultiple(value: number, step: number): boolean {
  const ratio = value / step;
  return Math.abs(ratio - Math.round(ratio)) < 1e-9;
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}

/** The numbers of a text; those beside a word of the name first: "3 nights for 2 guests". */
function numbersIn(text: string, name: string): number[] {
  const wanted = stems(identifierWords(name));
  const found = [...text.matchAll(/(?<![\p{L}\p{N}.])(-?\d{1,15}(?:\.\d{1,9})?)(?![\p{L}\p{N}])/gu)].map((match) => {
    const after = /^\s*(\p{L}+)/u.exec(
      text.slice(match.index + match[0].length, match.index + match[0].length + 40),
    )?.[1];
    const before = /(\p{L}+)\s*[:=#]?\s*$/u.exec(text.slice(Math.max(0, match.index - 40), match.index))?.[1];
    const beside = [after, before].some((word) => word !== undefined && wanted.has(stem(word.toLowerCase())));
    return { value: Number(match[1]), beside };
  });
  return [...found.filter((one) => one.beside), ...found.filter((one) => !one.beside)].map((one) => one.value);
}
