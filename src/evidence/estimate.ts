/** What an eval comes to, as far as it can be told beforehand. */
import { countedInput, defaultMaxOutputTokens } from "../agent/call-budget.js";
import { refuse } from "../conversation/problem.js";
import { type Eval, maxCalls } from "./evaluation.js";
import { orders } from "./judgement.js";

type Refusal = ReturnType<typeof refuse>;

/** Of a usual answer of a model, in tokens. */
const usualOutput = 200;

export interface Estimated {
  readonly estimate: Eval["estimate"];
  /** What a slice reserves for each unit at first. */
  readonly greatest: number;
}

/** Texts, in tokens. */
export interface EstimatedTexts {
  readonly items: number;
  /** Of all of them, and of the longest. */
  readonly tokens: number;
  readonly longest: number;
}

/**
 * @param wanted `candidates`: how many; `judgeCalls`: of a judgement; `modelCalls`: of each, for an item; `atMost`: the same with every worker, seat and supervisor; `promptTokens`: what such a call is asked with beside the text
 * @returns calls of models and their tokens, at most as they usually are
 */
export function estimated(
  { items, tokens, longest }: EstimatedTexts,
  wanted: {
    readonly candidates: number;
    readonly repeats: number;
    readonly modelCalls: readonly number[];
    readonly atMost: readonly number[];
    readonly promptTokens: number;
    readonly judgeCalls?: number | undefined;
  },
): Estimated {
  const { candidates, repeats, modelCalls, atMost, promptTokens, judgeCalls = 0 } = wanted;
  const judgements = judgeCalls === 0 ? 0 : (candidates - 1) * orders;
  const each = atMost.reduce((sum, calls) => sum + calls, judgements * judgeCalls);
  return {
    estimate: {
      calls: items * (candidates + judgements) * repeats,
      modelCalls: items * each * repeats,
      tokens: each * repeats * (tokens + items * (promptTokens + usualOutput)),
    },
    greatest: Math.max(judgeCalls, ...modelCalls) * (countedInput(longest + promptTokens) + defaultMaxOutputTokens),
  };
}

/** Why it can't be begun. */
export function refusedEval(
  { calls, modelCalls }: Eval["estimate"],
  maxTokens: number | undefined,
): Refusal | undefined {
  if (calls > maxCalls)
    return refuse(
      "invalid",
      `It would be ${calls} calls, of at most ${maxCalls}. Take fewer candidates, repeats or items.`,
    );
  if (modelCalls === 0 || maxTokens !== undefined) return undefined;
  return refuse(
    "invalid",
    "Its candidates call models: say maxTokens, the most that they may take together. `estimate: true` says what it may come to.",
    { errors: [{ path: "maxTokens", message: "has to be said where a model is called" }] },
  );
}
