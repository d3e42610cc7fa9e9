/** Arguments that several tools share. */
import { z } from "zod";
import { issuesSchema } from "../conversation/issues.js";

export const waitMs = z
  .int()
  .min(0)
  .max(300_000)
  .default(60_000)
  .describe("How long to wait for the end, in milliseconds; then the state so far is returned.");

export const idempotencyKey = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("The same key with the same arguments does it once, however often the call is sent.");

export const limit = z.int().min(1).max(200).default(50);
export const cursor = z.string().max(500).optional().describe("As the page before gave it.");
/** What a page of a list holds. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

/** What may not be meant by what was begun, such as a memory that is another subject's. */
export const warningsField = { warnings: issuesSchema.optional() };
export type Warnings = z.infer<typeof issuesSchema> | undefined;

/** For a model that reads the result as text. */
export function warningLines(warnings: Warnings = []): string[] {
  return warnings.map(({ path, message }) => `Warning (${path}): ${message}.`);
}
