/** What a model reads of what a caller sent along with a message, and how it is to answer. */

import type { AgentSpec } from "../agent/agent-spec.js";
import type { AgentLimits } from "../agent/budget.js";
import type { PromptParts } from "../agent/prompt.js";
import type { ModelMessage } from "../model/port.js";
import type { PromptContext } from "../routing/prompt-context.js";
import type { CallerInput } from "./caller-input.js";
import { type CallerResult, resultsText, type TurnRequest } from "./turn-request.js";

/** Tokens of a conversation that a caller sends whole, estimated: it is shown whole, or refused before. */
export const callerHistoryTokens = 100_000;

/** The session's context with the caller's conversation behind its history, and the caller's instructions behind its rules. */
export function withCallerInput(
  given: CallerInput | undefined,
  context: ReturnType<PromptContext>,
): ReturnType<PromptContext> & Pick<PromptParts, "historyTokens"> {
  if (given === undefined) return context;
  const { history, instructions } = given;
  return {
    ...context,
    rules: [
      ...context.rules,
      ...(instructions === undefined || instructions === ""
        ? []
        : [{ name: "caller", text: instructions, priority: -1 }]),
    ],
    history: [...context.history, ...history],
    ...(history.length === 0 ? {} : { historyTokens: callerHistoryTokens }),
  };
}

/** @param message as it passed: where it only repeats what came of calls, and nobody changed it, the calls stand for it */
export function promptOf(given: CallerInput | undefined, message: string): Pick<PromptParts, "message" | "exchange"> {
  const { results = [] } = given ?? {};
  if (results.length === 0) return { message };
  const exchange = exchangeOf(results);
  if (given?.content !== resultsText(results)) return { message, exchange };
  // Of results that somebody rewrote, only the rewritten text may be read.
  return message === given.content ? { message: "", exchange } : { message };
}

/** Without what claims to have come of tools that aren't the caller's. */
export function withoutResultsOf(isOwn: (tool: string) => boolean, given: CallerInput): CallerInput {
  const results = given.results.filter(({ tool }) => !isOwn(tool));
  return results.length === given.results.length ? given : { ...given, results };
}

function exchangeOf(results: readonly CallerResult[]): ModelMessage[] {
  const id = (index: number): string => `given_${index}`;
  const toolCalls = results.map(({ tool, args }, index) => ({ id: id(index), name: tool, arguments: args }));
  return [
    { role: "assistant", content: "", toolCalls },
    ...results.map(({ output }, index): ModelMessage => ({ role: "tool", toolCallId: id(index), content: output })),
  ];
}

/** How the model is to answer. */
export function answeringOf(
  request: TurnRequest | undefined,
): Pick<AgentSpec, "firstToolChoice" | "output" | "sampling"> {
  const { toolChoice, output, sampling } = request ?? {};
  return { firstToolChoice: toolChoice, output, sampling };
}

/** The agent's limits; a caller can narrow them. A caller who brings tools gets the one round that calling them takes. */
export function limitsOf(limits: AgentLimits, request: TurnRequest | undefined): AgentLimits {
  if (request === undefined) return limits;
  const { maxOutputTokens, parallelCalls, tools } = request;
  const most = Math.min(
    maxOutputTokens ?? Number.POSITIVE_INFINITY,
    limits.maxOutputTokens ?? Number.POSITIVE_INFINITY,
  );
  return {
    ...limits,
    ...(Number.isFinite(most) ? { maxOutputTokens: most } : {}),
    ...(tools.length === 0 ? {} : { maxToolRounds: Math.max(1, limits.maxToolRounds) }),
    ...(parallelCalls ? {} : { maxCallsPerRound: 1 }),
  };
}
