/** Numbers for a schema: from the text where it has a fitting one, else the default, else the least that is allowed. */
import { numberOf, type Schema } from "./schema-reading.js";
import { identifierWords, stem, stems } from "./words.js";

/**
 * A number within the schema's bounds.
 * @param guessedAmong how many values a choice was a guess among, which is what a confidence then says; 0: it was none.
 */
export function fillNumber(schema: Schema, name: string, text: string, ordinal: number, guessedAmong = 0): number {
  const least = Math.max(
    numberOf(schema, "minimum") ?? Number.NEGATIVE_INFINITY,
    (numberOf(schema, "exclusiveMinimum") ?? Number.NEGATIVE_INFINITY) + 1,
  );
  const most = Math.min(
    numberOf(schema, "maximum") ?? Number.POSITIVE_INFINITY,
    (numberOf(schema, "exclusiveMaximum") ?? Number.POSITIVE_INFINITY) - 1,
  );
  const isWhole = schema.type === "integer" || (Array.isArray(schema.type) && schema.type.includes("integer"));
  const allowed = (value: number) => value >= least && value <= most && (!isWhole || Number.isInteger(value));

  const isConfidence = /confidence|probability|likelihood/i.test(name);
  const sure = guessedAmong > 0 ? Math.round(100 / guessedAmong) / 100 : 0.5;
  const preferred = [
    ...(isConfidence ? [] : numbersIn(text, name)),
    numberOf(schema, "default"),
    isConfidence ? sure : undefined,
  ];
  const base =
    preferred.find((value) => value !== undefined && allowed(value)) ?? (least > 0 ? least : Math.min(0, most));
  return allowed(base + ordinal) ? base + ordinal : base;
}

/** The numbers of a text; those beside a word of the name first: "3 nights for 2 guests". */
function numbersIn(text: string, name: string): number[] {
  const nameStems = stems(identifierWords(name));
  const found = [...text.matchAll(/(?<![\p{L}\p{N}.])(-?\d{1,15}(?:\.\d{1,9})?)(?![\p{L}\p{N}])/gu)].map((match) => {
    const after = /^\s*(\p{L}+)/u.exec(
      text.slice(match.index + match[0].length, match.index + match[0].length + 40),
    )?.[1];
    const before = /(?<!\p{L})(\p{L}+)\s{0,4}[:=#]?\s{0,4}$/u.exec(
      text.slice(Math.max(0, match.index - 40), match.index),
    )?.[1];
    const beside = [after, before].some((word) => word !== undefined && nameStems.has(stem(word.toLowerCase())));
    return { value: Number(match[1]), beside };
  });
  return [...found.filter((one) => one.beside), ...found.filter((one) => !one.beside)].map((one) => one.value);
}
