/** The reason that a supervising agent has to give with what it does. */
import { z } from "zod";

export type ReasonSchema = z.ZodType<string>;

/** @param listed the only ones there are, where its tenant wants none of the model's own words read */
export function reasonSchema(listed: readonly string[] | undefined): ReasonSchema {
  if (listed !== undefined) return z.enum(listed).describe("The one of these that fits best");
  return z
    .string()
    .trim()
    .min(1)
    .max(2_000)
    .describe("Why, in a sentence that the people concerned may read; never quote in it what they shall not see");
}
