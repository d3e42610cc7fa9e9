/** What a debate may spend, and what of it each of several seats may that speak at once. */
import type { Spent } from "../agent/spent.js";
import type { PanelLimits } from "./panel.js";

/** What one seat may spend in its turn. */
export interface Share {
  readonly maxTokens: number;
  readonly maxActiveMs: number;
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
