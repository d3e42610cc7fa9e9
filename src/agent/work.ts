/** What every work item (a turn, a run) has in common. */
import { z } from "zod";
import { addTokens, tokenUsageSchema } from "../model/port.js";

/** How it can end. */
export const endedStatuses = ["completed", "blocked", "failed", "cancelled"] as const;
export type EndedStatus = (typeof endedStatuses)[number];

/** What all models in it have taken. */
export const usageSchema = z.object({
  /** Those that failed included. */
  modelCalls: z.number(),
  ...tokenUsageSchema.shape,
});
export type Usage = z.infer<typeof usageSchema>;

/** What one model of it has taken. */
export const modelUsageSchema = usageSchema.extend({
  /** Empty for calls that failed. */
  model: z.string(),
  /** Each call, where there were several: the price of one depends on how long it is. */
  calls: z.array(tokenUsageSchema).optional(),
});
export type ModelUsage = z.infer<typeof modelUsageSchema>;

export const noUsage: Usage = { modelCalls: 0, inputTokens: 0, outputTokens: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  return { modelCalls: one.modelCalls + other.modelCalls, ...addTokens(one, other) };
}
