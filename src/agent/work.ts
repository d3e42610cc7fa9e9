/** What every work item (a turn, a run) has in common. */
import { z } from "zod";

/** How it can end. */
export type EndedStatus = "completed" | "blocked" | "failed" | "cancelled";

/** What its models have taken, whoever in it called them. */
export const usageSchema = z.object({
  /** Those that failed included. */
  modelCalls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
});
export type Usage = z.infer<typeof usageSchema>;
