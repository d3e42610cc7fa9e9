/** What several agents have spent together: their models' usage, and the time they worked. */
import { z } from "zod";
import { usageSchema } from "./work.js";

export const spentSchema = usageSchema.extend({
  /** Milliseconds of work; what happened at once counts once. */
  activeMs: z.number(),
});
export type Spent = Readonly<z.infer<typeof spentSchema>>;

export const nothingSpent: Spent = { modelCalls: 0, inputTokens: 0, outputTokens: 0, activeMs: 0 };

export function addSpent(one: Spent, other: Spent): Spent {
  return {
    modelCalls: one.modelCalls + other.modelCalls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    activeMs: one.activeMs + other.activeMs,
  };
}

/** What several have spent at the same time: their time counts once. */
export function spentAtOnce(parts: readonly Spent[]): Spent {
  const sum = parts.reduce(addSpent, nothingSpent);
  return { ...sum, activeMs: Math.max(0, ...parts.map(({ activeMs }) => activeMs)) };
}
