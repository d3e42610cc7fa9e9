/** One model call of the agent loop: its request, and the journalled step that makes it. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { DeadlineError } from "../model/deadline.js";
import { estimateUsage } from "../model/estimate.js";
import {
  ModelError,
  type ModelErrorKind,
  type ModelMessage,
  type ModelRequest,
  type ToolChoice,
  type ToolSpec,
  tokenUsageSchema,
} from "../model/port.js";
import type { AgentSpec } from "./agent-spec.js";
import { countedInput, defaultMaxOutputTokens, type PlannedCall } from "./call-budget.js";
import { eitherSignal } from "./cancel.js";
import { Postponed } from "./journal.js";
import type { AgentPorts } from "./ports.js";
import type { AgentTool } from "./tools.js";

/** What the journal keeps of one model call: its reply, or why it failed. */
const modelStepSchema = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    text: z.string(),
    toolCalls: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        arguments: z.string(),
        /** The tool that this name stood for when it was offered: names change when another of the same name comes in. */
        ref: z.object({ server: z.string(), tool: z.string() }).optional(),
      }),
    ),
    usage: tokenUsageSchema,
    /** The one that answered; calls of the version before don't say. */
    model: z.string().optional(),
    finishReason: z.enum(["stop", "length", "tool_calls", "content_filter"]),
    metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    elapsedMs: z.number(),
  }),
  z.object({
    ok: z.literal(false),
    error: z.string(),
    elapsedMs: z.number(),
    /** The time budget ran out during the model call. */
    overTime: z.boolean().optional(),
    isPermanent: z.boolean().optional(),
    toolsRefused: z.boolean().optional(),
    code: z.enum(["rate_limited", "context_length_exceeded", "limit_reached", "unpriced_model"]).optional(),
    /** What an end user may be told. */
    userMessage: z.string().optional(),
    retryAfterMs: z.number().optional(),
  }),
]);
export type ModelStep = z.infer<typeof modelStepSchema>;

/** Failures that stay until somebody changes a setting. */
const permanentKinds: ReadonlySet<ModelErrorKind> = new Set(["unauthorized", "unknown_model"]);

interface CallPosition {
  readonly round: number;
  readonly lastRound: boolean;
  readonly attempt: number;
  readonly timeLeftMs: number;
  /** It said something in an earlier round. */
  readonly hasSpoken: boolean;
}

/** Refused before anything was done: nobody is charged for it. */
const freeKinds: ReadonlySet<ModelErrorKind> = new Set([
  "unauthorized",
  "unknown_model",
  "bad_request",
  "rate_limited",
]);

/** Beyond this, durable work doesn't wait within the call: it lets go of its process, and comes back. */
const maxWaitInCallMs = 2_000;
/** Waited at least, first and then twice as long each time, however soon a provider that has too much to do says to come back. */
const firstWaitMs = 5_000;
const longestWaitMs = 60_000;

/**
 * Returns what came of it: that a model fails is a result as well.
 * @throws {Postponed} while its provider has too much to do, where the work may wait: the reply to an earlier call of this kind counts on
 * the next entry, and the call is made once more.
 */
export async function callModel(
  spec: AgentSpec,
  ports: AgentPorts,
  exchange: readonly ModelMessage[],
  { round, lastRound, attempt, timeLeftMs, hasSpoken }: CallPosition,
): Promise<ModelStep> {
  const tools = spec.tools().filter((tool) => !lastRound || spec.endingTools?.includes(tool.name));
  const demanded = (round === 0 ? spec.firstToolChoice : undefined) ?? spec.toolChoice ?? "auto";
  const request: ModelRequest = {
    models: spec.models,
    messages: [...spec.prompt(), ...exchange],
    timeoutMs: spec.limits.modelTimeoutMs,
    ...(tools.length === 0 ? {} : { tools: tools.map(offered), toolChoice: choice(tools, lastRound, demanded) }),
    ...defined({
      mayBeEmpty: hasSpoken || undefined,
      output: spec.output,
      temperature: spec.temperature,
      sampling: spec.sampling,
      maxOutputTokens: spec.limits.maxOutputTokens ?? ports.journal.budget?.maxOutputTokens,
    }),
  };
  const mayWaitMs = ports.rateLimitWaitMs;
  const options = defined({
    listener: ports.observer?.listen?.(round),
    maxRetryAfterMs: mayWaitMs === undefined ? undefined : maxWaitInCallMs,
  });
  const first = attempt === 0 ? `model/${round}` : `model/${round}/again${attempt}`;
  let waited = 0;
  for (let waits = 0; ; waits++) {
    const step = await callOnce(waits === 0 ? first : `${first}/waited${waits}`);
    if (step.ok || step.code !== "rate_limited" || mayWaitMs === undefined) return step;
    // A provider may say 0, or a moment that is over, again and again.
    const waitMs = Math.max(step.retryAfterMs ?? 0, Math.min(longestWaitMs, firstWaitMs * 2 ** waits));
    waited += waitMs;
    if (waited > mayWaitMs) return step;
    const until = await ports.journal.step(
      { id: `${first}/until${waits}`, kind: "load", schema: z.number(), interrupted: "again" },
      async () => ports.now() + waitMs,
    );
    if (ports.now() < until) throw new Postponed(until);
  }

  function planned(): PlannedCall {
    const { inputTokens } = estimateUsage(request, { text: "", toolCalls: [] });
    const maxOutputTokens = request.maxOutputTokens ?? defaultMaxOutputTokens;
    return { models: request.models, inputTokens: countedInput(inputTokens), maxOutputTokens };
  }

  function callOnce(id: string): Promise<ModelStep> {
    return ports.journal.step(
      { id, kind: "model", schema: modelStepSchema, interrupted: "again", writtenWithNext: true },
      async (): Promise<ModelStep> => {
        const started = ports.now();
        const reserved = await ports.journal.budget?.reserve(planned());
        if (reserved !== undefined && "refused" in reserved) {
          const { refused: error, code, userMessage, retryAfterMs } = reserved;
          const refusal = { ok: false, error, elapsedMs: 0, isPermanent: true, code } as const;
          return { ...refusal, ...defined({ userMessage, retryAfterMs }) };
        }
        try {
          const { text, toolCalls, usage, finishReason, metadata, model } = await ports.withDeadline(
            timeLeftMs,
            (signal) => ports.model.call(request, { ...options, signal: eitherSignal(signal, ports.signal) }),
          );
          reserved?.settle({ model, usage });
          const elapsedMs = ports.now() - started;
          return {
            ok: true,
            text,
            toolCalls: toolCalls.map((call) => {
              const ref = tools.find((tool) => tool.name === call.name)?.ref;
              return { ...call, ...defined({ ref }) };
            }),
            usage,
            model,
            finishReason,
            ...defined({ metadata }),
            elapsedMs,
          };
        } catch (error) {
          const elapsedMs = ports.now() - started;
          if (error instanceof DeadlineError) {
            const detail = `the time budget of ${spec.limits.maxActiveMs} ms is used up`;
            return { ok: false, error: detail, elapsedMs: Math.max(elapsedMs, timeLeftMs), overTime: true };
          }
          if (!(error instanceof ModelError)) throw error;
          if (freeKinds.has(error.kind)) reserved?.settle(undefined);
          const isPermanent = permanentKinds.has(error.kind) || error.details.isTooLong || undefined;
          const toolsRefused = error.details.toolsRefused || undefined;
          const { isTooLong, retryAfterMs } = error.details;
          const limited = error.kind === "rate_limited" ? error.kind : undefined;
          const code = isTooLong ? ("context_length_exceeded" as const) : limited;
          return {
            ok: false,
            error: error.message,
            elapsedMs,
            ...defined({ isPermanent, toolsRefused, code, retryAfterMs }),
          };
        }
      },
    );
  }
}

function offered({ name, description, parameters, strict }: AgentTool): ToolSpec {
  return { name, description, parameters, ...defined({ strict }) };
}

function choice(tools: readonly AgentTool[], lastRound: boolean, demanded: ToolChoice): ToolChoice {
  if (!lastRound) return demanded;
  const [only] = tools;
  return tools.length === 1 && only !== undefined ? { tool: only.name } : "required";
}
