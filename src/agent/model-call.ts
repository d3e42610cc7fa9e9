/** One model call of the agent loop: its request, and the journalled step that makes it. */
import { DeadlineError } from "../model/deadline.js";
import {
  type ModelCallOptions,
  ModelError,
  type ModelMessage,
  type ModelRequest,
  type ToolChoice,
} from "../model/port.js";
import type { AgentSpec } from "./agent-spec.js";
import { eitherSignal } from "./cancel.js";
import { type ModelStep, modelStepSchema, permanentKinds } from "./model-step.js";
import type { AgentPorts } from "./ports.js";
import type { AgentTool } from "./tools.js";

interface CallPosition {
  readonly round: number;
  readonly lastRound: boolean;
  readonly attempt: number;
  readonly timeLeftMs: number;
  /** It said something in an earlier round. */
  readonly hasSpoken: boolean;
}

/** Gives what came of it: that a model fails is a result as well. */
export function callModel(
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
