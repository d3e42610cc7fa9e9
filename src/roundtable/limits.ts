/** What a debate may spend, and what of it each of several seats may that speak at once. */
import { z } from "zod";
import { usageSchema } from "../agent/work.js";
import type { PanelLimits } from "./panel.js";

export const spentSchema = usageSchema.extend({
  /** Milliseconds of work; what happened at once counts once. */
  activeMs: z.number(),
});
/** What a debate has taken so far. */
export type Spent = Readonly<z.infer<typeof spentSchema>>;

export const nothingSpent: Spent = { modelCalls: 0, inputTokens: 0, outputTokens: 0, activeMs: 0 };

/** What one seat may spend in its turn. */
export interface Share {
  readonly maxTokens: number;
  readonly maxActiveMs: number;
}

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

/** Equal shares of what is left, so that the whole stays within the limit whatever each does. */
export function shareOf(limits: PanelLimits, spent: Spent, seats: number): Share {
  const tokens = limits.maxTokens - spent.inputTokens - spent.outputTokens;
  return {
    maxTokens: Math.max(1, Math.floor(tokens / Math.max(1, seats))),
    maxActiveMs: Math.max(1, limits.maxActiveMs - spent.activeMs),
  };
}

/** Why nothing more may be begun; `undefined` while there is something left. */
export function budgetExhausted(limits: PanelLimits, spent: Spent): string | undefined {
  const tokens = spent.inputTokens + spent.outputTokens;
  if (tokens >= limits.maxTokens) return `the debate's budget of ${limits.maxTokens} tokens is used up`;
  if (spent.modelCalls >= limits.maxModelCalls)
    return `the debate's budget of ${limits.maxModelCalls} model calls is used up`;
  if (spent.activeMs >= limits.maxActiveMs) return `the debate's budget of ${limits.maxActiveMs} ms is used up`;
  return undefined;
}
