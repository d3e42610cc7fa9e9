import { z } from "zod";
import { modelChoice } from "../../agent/definition.js";

export const agentConfigSchema = z.strictObject({
  model: modelChoice,
  instructions: z.string().min(1).max(50_000),
  temperature: z.number().min(0).max(2).optional(),
  /** The only reasons it may give, word for word: then nothing that it writes itself is read by anybody. */
  reasons: z.array(z.string().min(1).max(2_000)).min(1).max(50).optional(),
  /** Rounds in which it may look around before it has to decide. */
  maxToolRounds: z.int().min(0).max(20).optional(),
});
