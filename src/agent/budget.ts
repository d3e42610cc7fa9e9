/** What an agent may spend, and what it and others have spent. Checked between rounds; what is under way is bounded by the time that is left. */
import { z } from "zod";
import { addUsage, noUsage, usageSchema } from "./work.js";

export interface AgentLimits {
  /** Rounds in which tools may be called; after them comes one last round without (or with the ending tools alone). */
  readonly maxToolRounds: number;
  /** Tool calls under way at once. */
  readonly parallelTools: number;
  /** Tool calls in one round; further ones are answered with an error. */
  readonly maxCallsPerRound: number;
  /** Input and output together, over all rounds. */
  readonly maxTokens: number;
  /** Those that failed included; the last one has to answer. Without it the rounds alone count. */
  readonly maxModelCalls?: number;
  /** Milliseconds of work (model and tool time), not of waiting. */
  readonly maxActiveMs: number;
  /** For one attempt of a model call. */
  readonly modelTimeoutMs: number;
  readonly maxOutputTokens?: number;
}

export const defaultAgentLimits: AgentLimits = {
  maxToolRounds: 8,
  parallelTools: 5,
  maxCallsPerRound: 16,
  maxTokens: 200_000,
  maxActiveMs: 300_000,
  modelTimeoutMs: 60_000,
};

/** What an agent, or several together, have spent: their models' usage, and the time they worked. */
export const spentSchema = usageSchema.extend({
  /** Milliseconds of work; what happened at once counts once. */
  activeMs: z.number(),
});
export type Spent = Readonly<z.infer<typeof spentSchema>>;

export const nothingSpent: Spent = { ...noUsage, activeMs: 0 };

export function addSpent(one: Spent, other: Spent): Spent {
  return { ...addUsage(one, other), activeMs: one.activeMs + other.activeMs };
}

/** What several have spent at the same time: their time counts once. */
export function spentAtOnce(parts: readonly Spent[]): Spent {
  const sum = parts.reduce(addSpent, nothingSpent);
  return { ...sum, activeMs: Math.max(0, ...parts.map(({ activeMs }) => activeMs)) };
}

/** Why another round may not begin; `undefined` when it may. */
export function overBudget(spent: Omit<Spent, "modelCalls">, limits: AgentLimits): string | undefined {
  const tokens = spent.inputTokens + spent.outputTokens;
  if (tokens >= limits.maxTokens) return `the token budget of ${limits.maxTokens} is used up (${tokens} used)`;
  if (spent.activeMs >= limits.maxActiveMs) return `the time budget of ${limits.maxActiveMs} ms is used up`;
  return undefined;
}
