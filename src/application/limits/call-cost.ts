/** What a call of a model may cost under a tenant's limits, what it came to, and how it is refused. */
import type { CallTaken, PlannedCall, RefusedCall } from "../../agent/call-budget.js";
import { defined } from "../../conversation/defined.js";
import type { Problem } from "../../conversation/problem.js";
import type { WorkLimits } from "./work-limits.js";

/** Tokens, and millionths of a unit of money. */
export interface Cost {
  readonly tokens: number;
  readonly money: number;
}

export const noCost: Cost = { tokens: 0, money: 0 };

export function sum(one: Cost, other: Cost): Cost {
  return { tokens: one.tokens + other.tokens, money: one.money + other.money };
}

/** The dearest of the models that may answer; nothing where one has no price and money is limited. */
export function worstOf({ models, inputTokens, maxOutputTokens }: PlannedCall, limits: WorkLimits): Cost | undefined {
  const usage = { inputTokens, outputTokens: maxOutputTokens };
  const costs = models.map((model) => costOf({ model, usage }, limits));
  if (costs.some((cost) => cost === undefined)) return undefined;
  return { tokens: inputTokens + maxOutputTokens, money: Math.max(0, ...costs.map((cost) => cost?.money ?? 0)) };
}

/** Nothing where the model has no price and money is limited. */
export function costOf({ model, usage }: CallTaken, { demands, priceOf }: WorkLimits): Cost | undefined {
  const tokens = usage.inputTokens + usage.outputTokens;
  const limited = demands({ tokens, money: 1 }).filter(({ measure }) => measure === "money");
  if (limited.length === 0) return { tokens, money: 0 };
  // What is only observed lets everything through.
  const money = priceOf(model, usage) ?? (limited.some(({ isEnforced }) => isEnforced) ? undefined : 0);
  return money === undefined ? undefined : { tokens, money };
}

export function noPrice({ models }: PlannedCall): RefusedCall {
  return {
    code: "unpriced_model",
    refused: `a limit of money holds, and nobody has said what ${models.join(" or ")} costs: state it at PUT /v1/admin/prices`,
  };
}

export function refusedBy({ detail, userMessage, retryAfterSeconds }: Problem): RefusedCall {
  return {
    code: "limit_reached",
    refused: detail,
    ...defined({ userMessage, retryAfterMs: retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1_000 }),
  };
}
