/** What the models of a piece of work have taken: a turn's, a run's, whoever in it called them. */
import { z } from "zod";

export const usageSchema = z.object({
  /** Those that failed included. */
  modelCalls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
});
export type Usage = z.infer<typeof usageSchema>;
