/**
 * The agent loop: the one function that runs every model in the system. It calls the model, runs the tools it asks for, shows
 * it the results, and goes on until it answers, an ending tool is called, or the budget is spent. Every call is a journalled
 * step, so it can be entered again at any time and goes on where it was.
 */
import type { ReplyTurn, ToolCallRequest } from "../conversation/message.js";
import { DeadlineError } from "../model/deadline.js";
import {
  type ModelCallOptions,
  ModelError,
  type ModelMessage,
  type ModelRequest,
  type ModelResult,
  type ToolChoice,
} from "../model/port.js";
import { type AgentLimits, overBudget } from "./budget.js";
import { eitherSignal } from "./cancel.js";
import { settleInOrder } from "./concurrency.js";
import { Parked } from "./journal.js";
import { type ModelStep, modelStepSchema, permanentKinds } from "./model-step.js";
import { pendingCalls } from "./pending-calls.js";
import type { AgentPorts } from "./ports.js";
import { replyTurn } from "./reply-turn.js";
import { type RequestedTool, runToolCall } from "./tool-call.js";
import type { AgentTool, CallRecord, ToolEffect } from "./tools.js";

export interface AgentSpec {
  readonly models: readonly string[];
  /**
   * The whole prompt: instructions, data, history, the message. Asked for anew before each round, like the tools, so that what a
   * supervisor includes or excludes holds from the very next call on.
   */
  readonly prompt: () => readonly ModelMessage[];
  readonly tools: () => readonly AgentTool[];
  /**
   * Finds a tool that isn't offered any more, so that a call of it is found again on a replay. The guard decides
   * whether it may be called now.
   */
  readonly removedTool?: (requested: RequestedTool) => AgentTool | undefined;
  /** Names of the tools that alone are offered, and demanded, in the last round. None: the last round has to answer in text. */
  readonly endingTools?: readonly string[];
  /** `required` makes every round call a tool. */
  readonly toolChoice?: "auto" | "required";
  /** In the place of `toolChoice` in the first round. */
  readonly firstToolChoice?: ToolChoice | undefined;
  readonly output?: ModelRequest["output"] | undefined;
  readonly temperature?: number;
  readonly sampling?: ModelRequest["sampling"] | undefined;
  readonly limits: AgentLimits;
  /**
   * Asked when a model call failed for good, with why: `true` has it made once more, with the exchange as it is, so that no tool is
   * called again. Without it the agent fails.
   */
  readonly retry?: (error: string) => Promise<boolean>;
  /** Ids of turns and tool calls begin with it. */
  readonly replyId: string;
}

export type AgentOutcome = AgentReport &
  (
    | {
        readonly kind: "answered";
        readonly text: string;
        /** Tools that the last round asked for, in which none of them could be called any more. */
        readonly uncalled?: readonly string[];
        /** Calls that are the caller's to make: the agent goes on once it is given what came of them. */
        readonly pending?: readonly ToolCallRequest[];
      }
    | {
        readonly kind: "ended";
        readonly by: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
      }
    | ({
        readonly kind: "failed";
        readonly code: "model_failed" | "budget_exceeded";
        readonly detail: string;
      } & ModelRefusal)
  );

/** What a model's failure says of the next attempt. */
export interface ModelRefusal {
  /** The same call would be refused again: a key, a name or the request itself is wrong. */
  readonly isPermanent?: boolean;
  /** It was refused because of its tools. */
  readonly toolsRefused?: boolean;
}

export interface AgentReport {
  /** Those that failed included. */
  readonly modelCalls: number;
  readonly turns: readonly ReplyTurn[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly activeMs: number;
  readonly metadata?: ModelResult["metadata"];
  /** The rounds whose results the model has read, as messages: what a later call of the same agent can go on from. */
  readonly exchange: readonly ModelMessage[];
  /** What its calls may have changed, in their order, whatever became of the agent. */
  readonly effects: readonly ToolEffect[];
}

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
  const spent = { modelCalls: 0, inputTokens: 0, outputTokens: 0, activeMs: 0 };
  let metadata: ModelResult["metadata"];
  const timeLeft = (): number => Math.max(1, spec.limits.maxActiveMs - spent.activeMs);
  const report = (): AgentReport => ({
    turns,
    exchange,
    effects,
    ...spent,
    ...(metadata === undefined ? {} : { metadata }),
  });

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
      const code = reply.overTime === true ? "budget_exceeded" : "model_failed";
      const affordable = overBudget(spent, spec.limits) === undefined && spent.modelCalls < maxModelCalls;
      const { isPermanent, toolsRefused } = reply;
      const refusal = { ...(isPermanent && { isPermanent }), ...(toolsRefused && { toolsRefused }) };
      // What stays until somebody changes a setting isn't tried again.
      const hopeless = reply.overTime === true || isPermanent === true || toolsRefused === true || !affordable;
      if (hopeless || (await spec.retry?.(reply.error)) !== true)
        return { kind: "failed", code, detail: reply.error, ...refusal, ...report() };
      lastRound = isLast();
      reply = await callModel(spec, ports, exchange, { round, lastRound, attempt, timeLeftMs: timeLeft(), hasSpoken });
    }
    spent.inputTokens += reply.usage.inputTokens;
    spent.outputTokens += reply.usage.outputTokens;
    metadata = reply.metadata ?? metadata;
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
    const made = records.filter((record) => record.handedOver !== true);
    turns.push(replyTurn(`${spec.replyId}.${round}`, reply, made));
    effects.push(...records.flatMap(({ effect }) => effect ?? []));
    spent.activeMs += Math.max(0, ...records.map((record) => record.elapsedMs));

    const ending = records.find((record) => record.endsRun);
    if (ending !== undefined) return { kind: "ended", by: { name: ending.name, args: ending.args }, ...report() };
    if (handedOver.length > 0) {
      const pending = handedOver.map(({ toolCallId, server, tool, args }) => ({
        ...{ toolCallId, server, tool },
        args: { ...args },
      }));
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

interface CallPosition {
  readonly round: number;
  readonly lastRound: boolean;
  readonly attempt: number;
  readonly timeLeftMs: number;
  /** It said something in an earlier round. */
  readonly hasSpoken: boolean;
}

function callModel(
  spec: AgentSpec,
  ports: AgentPorts,
  exchange: readonly ModelMessage[],
  { round, lastRound, attempt, timeLeftMs, hasSpoken }: CallPosition,
): Promise<ModelStep> {
  const tools = spec.tools().filter((tool) => !lastRound || spec.endingTools?.includes(tool.name));
  const request: ModelRequest = {
    models: spec.models,
    messages: [...spec.prompt(), ...exchange],
    timeoutMs: spec.limits.modelTimeoutMs,
    ...(hasSpoken ? { mayBeEmpty: true } : {}),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
          toolChoice: choice(
            tools,
            lastRound,
            (round === 0 ? spec.firstToolChoice : undefined) ?? spec.toolChoice ?? "auto",
          ),
        }
      : {}),
    ...(spec.output === undefined ? {} : { output: spec.output }),
    ...(spec.temperature === undefined ? {} : { temperature: spec.temperature }),
    ...(spec.sampling === undefined ? {} : { sampling: spec.sampling }),
    ...(spec.limits.maxOutputTokens === undefined ? {} : { maxOutputTokens: spec.limits.maxOutputTokens }),
  };
  const listener = ports.observer?.listen?.(round);
  const options: ModelCallOptions = listener === undefined ? {} : { listener };

  return ports.journal.step(
    {
      id: attempt === 0 ? `model/${round}` : `model/${round}/again${attempt}`,
      kind: "model",
      schema: modelStepSchema,
      interrupted: "again",
      writtenWithNext: true,
    },
    async (): Promise<ModelStep> => {
      const started = ports.now();
      try {
        const { text, toolCalls, usage, finishReason, metadata, model } = await ports.withDeadline(
          timeLeftMs,
          (signal) => ports.model.call(request, { ...options, signal: eitherSignal(signal, ports.signal) }),
        );
        const elapsedMs = ports.now() - started;
        return {
          ok: true,
          text,
          toolCalls: toolCalls.map((call) => {
            const offered = tools.find((tool) => tool.name === call.name);
            return offered === undefined ? call : { ...call, ref: offered.ref };
          }),
          usage,
          model,
          finishReason,
          ...(metadata && { metadata }),
          elapsedMs,
        };
      } catch (error) {
        const elapsedMs = ports.now() - started;
        if (error instanceof DeadlineError) {
          const detail = `the time budget of ${spec.limits.maxActiveMs} ms is used up`;
          return { ok: false, error: detail, elapsedMs: Math.max(elapsedMs, timeLeftMs), overTime: true };
        }
        if (!(error instanceof ModelError)) throw error;
        const isPermanent = permanentKinds.has(error.kind);
        const toolsRefused = error.details.toolsRefused === true;
        return {
          ok: false,
          error: error.message,
          elapsedMs,
          ...(isPermanent && { isPermanent }),
          ...(toolsRefused && { toolsRefused }),
        };
      }
    },
  );
}

function choice(tools: readonly AgentTool[], lastRound: boolean, demanded: ToolChoice): ToolChoice {
  if (!lastRound) return demanded;
  const [only] = tools;
  return tools.length === 1 && only !== undefined ? { tool: only.name } : "required";
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
    return record;
  });
  return settleInOrder(tasks, spec.limits.parallelTools);
}

function callId({ replyId }: AgentSpec, round: number, index: number): string {
  return `${replyId}.${round}.${index}`;
}
