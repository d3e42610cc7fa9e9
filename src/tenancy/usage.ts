/** What a tenant's turns and runs have taken, as its admin reads it. */
import { z } from "zod";

export const usageGroups = ["agent", "model", "day", "subject", "key"] as const;
export type UsageGroup = (typeof usageGroups)[number];

export const usageQuerySchema = z.strictObject({
  /** From this time on; a day before `to`, if nothing is said … */
  from: z.iso.datetime().optional(),
  /** … and up to this one, which is left out. Now, if nothing is said. */
  to: z.iso.datetime().optional(),
  groupBy: z.enum(usageGroups).default("day"),
});
export type UsageQuery = z.infer<typeof usageQuerySchema>;

export const usageLineSchema = z.object({
  /** The agent's, model's, subject's or key's name, or the day (UTC); empty for what has none. */
  group: z.string(),
  turns: z.int(),
  runs: z.int(),
  modelCalls: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
});
export type UsageLine = z.infer<typeof usageLineSchema>;
