/**
 * Objects as models write them, out of whatever text holds them: texts that are too long are cut, lists may be one text, and nothing is
 * written in many ways.
 */
import { z } from "zod";
import { shorten } from "../text/passages.js";
import { jsonObjectsIn } from "../text/written-json.js";

/** What is wrong with an answer, in words for the model: shown to it, once. */
export interface Unreadable {
  readonly ok: false;
  readonly problem: string;
}
export type Read<T> = { readonly ok: true; readonly value: T } | Unreadable;

/** What is wrong with an answer that has another shape than was demanded. */
export function unreadable({ issues: [issue] }: z.ZodError): Unreadable {
  return { ok: false, problem: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it can't be read"}.` };
}

/** Reads an object of a schema. */
export function readAs<T>(schema: z.ZodType<T>): (value: object) => Read<T> {
  return (value) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? { ok: true, value: parsed.data } : unreadable(parsed.error);
  };
}

/** The first object of a text that can be read: bare, fenced, or with prose around it; broken JSON is repaired. */
export function readFrom<R extends { readonly ok: boolean }>(text: string, read: (value: object) => R): R | Unreadable {
  let first: R | undefined;
  for (const value of jsonObjectsIn(text)) {
    const one = read(value);
    if (one.ok) return one;
    first ??= one;
  }
  return first ?? { ok: false, problem: "it holds no JSON object." };
}

const mostItems = 12;
const longestItem = 800;

/** A text that has to be there. */
export function text(most: number) {
  return z
    .string()
    .refine((given) => given.trim() !== "", "it is empty")
    .transform((given) => clipped(given.trim(), most));
}

/** A text that may be missing: `null`, nothing, an empty text, "none". */
export function optionalText(most: number) {
  return z
    .union([z.string(), z.boolean()])
    .nullish()
    .transform((given) => {
      if (typeof given !== "string" || /^(?:none|null|n\/a|no)?[.\s]*$/i.test(given.trim())) return undefined;
      return clipped(given.trim(), most);
    });
}

const item = z.union([
  z.string(),
  z.number().transform(String),
  // A list of objects where texts were asked for: their texts, one after another.
  z.record(z.string(), z.unknown()).transform((fields) =>
    Object.values(fields)
      .filter((field) => typeof field === "string")
      .join(": "),
  ),
]);

/** A list of texts; one text is a list of one. */
export const listOfTexts = z
  .union([z.array(item), item.transform((one) => [one])])
  .nullish()
  .transform((given) =>
    (given ?? [])
      .map((one) => shorten(one, longestItem))
      .filter((one) => one !== "")
      .slice(0, mostItems),
  );

export function clipped(given: string, most: number): string {
  return given.length <= most ? given : `${given.slice(0, most - 1).toWellFormed()}…`;
}
