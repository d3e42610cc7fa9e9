/**
 * The agent loop: the one function that runs every model in the system. It calls the model, runs the tools it asks for, shows
 * it the results, and goes on until it answers, an ending tool is called, or the budget is spent. Every call is a journalled
 * step, so it can be entered again at any time and goes on where it was.
 */
import { defined } from "../conversation/defined.js";
import type { ReplyTurn, ToolCallResult } from "../conversation/message.js";
import { addTokens, type ModelMessage, type ModelResult, type TokenUsage } from "../model/port.js";
import type { AgentOutcome, AgentReport, AgentSpec } from "./agent-spec.js";
import { nothingSpent, overBudget } from "./budget.js";
import { askedBy } from "./built-in/ask-human.js";
import { settleInOrder } from "./concurrency.js";
import { Parked } from "./journal.js";
import { callModel, type ModelStep } from "./model-call.js";
import type { AgentPorts, PendingCall } from "./ports.js";
import { type RequestedTool, runToolCall } from "./tool-call.js";
import type { AgentTool, Asking, CallRecord, ToolEffect } from "./tools.js";

/**
 * Runs an agent to its end.
 * @throws {Parked} when it has to wait for an ask; enter it again with the same journal once that is closed.
 * @example
 * const outcome = await runAgent(
 *   {
 *     models: ["default"],
 *     prompt: () => [{ role: "user", content: "What is the weather in Lyon?" }],
 *     tools: () => [weatherTool],
 *     limits: defaultAgentLimits,
 *     replyId: "msg_1",
 *   },
 *   { ...ports, journal: journal.scope("agent"), guard: openGuard },
 * );
 * if (outcome.kind === "answered") show(outcome.text);
 */
export async function runAgent(spec: AgentSpec, ports: AgentPorts): Promise<AgentOutcome> {
  const exchange: ModelMessage[] = [];
  const turns: ReplyTurn[] = [];
  const effects: ToolEffect[] = [];
  const spent = { ...nothingSpent };
  let metadata: ModelResult["metadata"];
  let model: string | undefined;
  const timeLeft = (): number => Math.max(1, spec.limits.maxActiveMs - spent.activeMs);
  const report = (): AgentReport => ({ turns, exchange, effects, ...spent, ...defined({ metadata, model }) });

  for (let round = 0; ; round++) {
    const exhausted = overBudget(spent, spec.limits);
    if (exhausted !== undefined) return { kind: "failed", code: "budget_exceeded", detail: exhausted, ...report() };

    const { maxToolRounds, maxModelCalls = Number.POSITIVE_INFINITY } = spec.limits;
    const isLast = (): boolean => round >= maxToolRounds || spent.modelCalls + 1 >= maxModelCalls;
    let lastRound = isLast();
    const hasSpoken = turns.some(({ message }) => message !== undefined);
    let reply = await callModel(spec, ports, exchange, {
      round,
      lastRound,
      attempt: 0,
      timeLeftMs: timeLeft(),
      hasSpoken,
    });
    for (let attempt = 1; ; attempt++) {
      spent.modelCalls++;
      spent.activeMs += reply.elapsedMs;
      if (reply.ok) break;
      const code = reply.overTime === true ? "budget_exceeded" : (reply.code ?? "model_failed");
      const affordable = overBudget(spent, spec.limits) === undefined && spent.modelCalls < maxModelCalls;
      const { isPermanent, toolsRefused, retryAfterMs, userMessage } = reply;
      // What stays until somebody changes a setting isn't tried again.
      const hopeless = reply.overTime === true || isPermanent === true || toolsRefused === true || !affordable;
      if (hopeless || (await spec.retry?.(reply.error)) !== true)
        return {
          kind: "failed",
          code,
          detail: reply.error,
          ...defined({ isPermanent, toolsRefused, retryAfterMs, userMessage }),
          ...report(),
        };
      lastRound = isLast();
      reply = await callModel(spec, ports, exchange, { round, lastRound, attempt, timeLeftMs: timeLeft(), hasSpoken });
    }
    Object.assign(spent, addTokens(spent, reply.usage));
    metadata = reply.metadata ?? metadata;
    model = reply.model;
    // Where no further round can read their results, no tool is called and no person is asked in vain.
    const calls =
      lastRound || overBudget(spent, spec.limits) !== undefined
        ? reply.toolCalls.filter((call) => spec.endingTools?.includes(call.name))
        : reply.toolCalls;
    const isAnswer = lastRound ? calls.length === 0 : reply.toolCalls.length === 0;
    if (reply.text !== "") ports.observer?.roundText?.(round, reply.text, isAnswer);

    const ended = new Map<number, CallRecord>();
    let records: readonly CallRecord[];
    try {
      records = await runRound(spec, ports, calls, round, timeLeft(), ended);
    } catch (error) {
      if (error instanceof Parked) {
        const done = [...ended].sort(([a], [b]) => a - b).map(([, record]) => record);
        const idOf = (index: number): string => callId(spec, round, index);
        const pending = pendingCalls(calls, new Set(ended.keys()), spec.tools(), idOf, ports.asking);
        ports.observer?.waiting?.({ turns: [...turns, replyTurn(`${spec.replyId}.${round}`, reply, done)], pending });
      }
      throw error;
    }
    const handedOver = records.filter((record) => record.handedOver === true);
    const executed = records.filter((record) => record.handedOver !== true);
    turns.push(replyTurn(`${spec.replyId}.${round}`, reply, executed));
    effects.push(...records.flatMap(({ effect }) => effect ?? []));
    spent.activeMs += Math.max(0, ...records.map((record) => record.elapsedMs));

    const ending = records.find((record) => record.endsRun);
    if (ending !== undefined) return { kind: "ended", by: { name: ending.name, args: ending.args }, ...report() };
    if (handedOver.length > 0) {
      const pending = handedOver.map(({ toolCallId, server, tool, args }) => ({ toolCallId, server, tool, args }));
      return { kind: "answered", text: reply.text, pending, ...report() };
    }
    if (isAnswer || lastRound) {
      const uncalled = reply.toolCalls.filter((call) => !calls.includes(call)).map(({ name }) => name);
      return { kind: "answered", text: reply.text, ...(uncalled.length > 0 && { uncalled }), ...report() };
    }

    exchange.push(
      {
        role: "assistant",
        content: reply.text,
        toolCalls: calls.map(({ name, arguments: args }, index) => ({
          id: `call_${round}_${index}`,
          name,
          arguments: args,
        })),
      },
      ...records.map(
        (record, index): ModelMessage => ({
          role: "tool",
          toolCallId: `call_${round}_${index}`,
          content: record.content,
        }),
      ),
    );
  }
}

function runRound(
  spec: AgentSpec,
  ports: AgentPorts,
  calls: Extract<ModelStep, { ok: true }>["toolCalls"],
  round: number,
  timeLeftMs: number,
  ended: Map<number, CallRecord>,
): Promise<readonly CallRecord[]> {
  const tasks = calls.map((call, index) => async () => {
    const position = {
      toolCallId: callId(spec, round, index),
      journal: ports.journal.scope(`tool/${round}/${index}`),
    };
    const overLimit = index >= spec.limits.maxCallsPerRound;
    const agent = { tools: spec.tools(), removedTool: spec.removedTool, overLimit, timeLeftMs };
    const record = await runToolCall(call, position, agent, ports);
    ended.set(index, record);
    ports.observer?.callEnded?.(round, record);
    if (record.handedOver !== true) ports.answered?.(callResult(record));
    return record;
  });
  return settleInOrder(tasks, spec.limits.parallelTools);
}

function callId({ replyId }: AgentSpec, round: number, index: number): string {
  return `${replyId}.${round}.${index}`;
}

/** Which calls of a round aren't over. @param ended the indices of those that are; a call of a tool that doesn't exist is over at once. */
function pendingCalls(
  calls: readonly RequestedTool[],
  ended: ReadonlySet<number>,
  tools: readonly AgentTool[],
  idOf: (index: number) => string,
  asking: Asking | undefined,
): PendingCall[] {
  return calls.flatMap(({ name, ref }, index) => {
    const tool = ref ?? tools.find((candidate) => candidate.name === name)?.ref;
    return ended.has(index) || tool === undefined
      ? []
      : [{ toolCallId: idOf(index), ...tool, ...askedBy(tool, asking) }];
  });
}

/** One round, as a turn of the reply. @param turnId of this turn */
function replyTurn(
  turnId: string,
  reply: {
    readonly text: string;
    readonly usage: TokenUsage;
    readonly finishReason?: string | undefined;
  },
  records: readonly CallRecord[],
): ReplyTurn {
  const toolCalls = records.map(callResult);
  return {
    turnId,
    ...(reply.text === "" ? {} : { message: reply.text }),
    inputTokens: reply.usage.inputTokens,
    outputTokens: reply.usage.outputTokens,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reply.finishReason === "length" || reply.finishReason === "content_filter" ? { cut: reply.finishReason } : {}),
  };
}

/** A call as records have it. */
export function callResult(record: CallRecord): ToolCallResult {
  return {
    toolCallId: record.toolCallId,
    server: record.server,
    tool: record.tool,
    args: { ...record.args },
    ...defined({ audience: record.audience }),
    elapsedMs: record.elapsedMs,
    ...(record.isError ? { error: record.content } : { output: record.content }),
  };
}
