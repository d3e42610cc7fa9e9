/** Fields of objects as models write them: texts that are too long are cut, lists may be one text, and nothing is written in many ways. */
import { z } from "zod";
import { shorten } from "../text/passages.js";

const mostItems = 12;
const longestItem = 800;

/** A text that has to be there. */
export function text(most: number) {
  return z
    .string()
    .refine((given) => given.trim() !== "", "it is empty")
    .transform((given) => clipped(given, most));
}

/** A text that may be missing: `null`, nothing, an empty text, "none". */
export function optionalText(most: number) {
  return z
    .union([z.string(), z.boolean()])
    .nullish()
    .transform((given) => {
      if (typeof given !== "string" || /^(?:none|null|n\/a|no)?[.\s]*$/i.test(given.trim())) return undefined;
      return clipped(given, most);
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

function clipped(given: string, most: number): string {
  const trimmed = given.trim();
  return trimmed.length <= most ? trimmed : `${trimmed.slice(0, most - 1).toWellFormed()}…`;
}
