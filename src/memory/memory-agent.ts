/** The agent that writes entries and contexts: one tool, which it has to call, and one more round if the call was wrong. */
import { z } from "zod";
import type { AgentOutcome, AgentSpec } from "../agent/agent-spec.js";
import { defaultAgentLimits } from "../agent/budget.js";
import type { Journal } from "../agent/journal.js";
import { runAgent } from "../agent/loop.js";
import type { AgentPorts } from "../agent/ports.js";
import { type AgentTool, openGuard } from "../agent/tools.js";

/** The ports of an agent but for those that the memory agent brings itself. */
export type MemoryAgentPorts = Omit<AgentPorts, "guard" | "observer" | "journal"> & { readonly journal: Journal };

export function runMemoryAgent(
  spec: Pick<AgentSpec, "models" | "prompt" | "replyId">,
  tool: AgentTool,
  limits: { readonly maxTokens: number; readonly maxOutputTokens: number },
  ports: MemoryAgentPorts,
): Promise<AgentOutcome> {
  return runAgent(
    {
      ...spec,
      tools: () => [tool],
      endingTools: [tool.name],
      toolChoice: "required",
      limits: { ...defaultAgentLimits, maxToolRounds: 1, ...limits },
    },
    { ...ports, guard: openGuard },
  );
}

/**
 * Ends the run with what the model wrote, or tells it once what is wrong. What is stored is stored outside.
 * @param check of the arguments: a text to the model where they are wrong
 */
export function writingTool(
  about: Pick<AgentTool, "name" | "description">,
  schema: z.ZodType,
  done: string,
  check: (args: unknown) => string | undefined,
): AgentTool {
  return {
    ...about,
    ref: { server: "memory", tool: about.name },
    parameters: z.toJSONSchema(schema, { io: "input" }),
    timeoutMs: 10_000,
    execution: "idempotent",
    readOnly: true,
    async run(args) {
      const problem = check(args);
      return problem === undefined ? { content: done, endsRun: true } : { content: problem, isError: true };
    },
  };
}

/** The model answered, and what it said can't be used: it is worth asking about the next message. */
export const noUsableSummary = "the model gave no summary that can be used";

export function failureOf(outcome: AgentOutcome): string {
  return outcome.kind === "failed" ? outcome.detail : noUsableSummary;
}

/** The arguments of the model's last call, as it ended or after a repair round that failed too. */
export function lastArguments(outcome: AgentOutcome): Readonly<Record<string, unknown>> | undefined {
  return outcome.kind === "ended" ? outcome.by.args : outcome.turns.at(-1)?.toolCalls?.at(-1)?.args;
}

export function toolHistory(outcome: AgentOutcome): { tool: string; ok: boolean }[] {
  return outcome.turns.flatMap(({ toolCalls = [] }) =>
    toolCalls.map(({ tool, error }) => ({ tool, ok: error === undefined })),
  );
}
