/** A world for the agent loop: a model that says what it is told to, and tools that do. */

import type { AgentSpec } from "../../src/agent/agent-spec.js";
import { type AgentLimits, defaultAgentLimits } from "../../src/agent/budget.js";
import type { Journal } from "../../src/agent/journal.js";
import type { AgentPorts } from "../../src/agent/ports.js";
import { type AgentTool, openGuard, type ToolOutput } from "../../src/agent/tools.js";
import { type CancelSignal, ModelError, type ModelRequest, type ModelResult } from "../../src/model/port.js";

export const never: CancelSignal = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };

export type Said = { text?: string; calls?: readonly [name: string, args: unknown][]; tokens?: number } | ModelError;

/** Answers by the number of tool results it has been shown, so that a repeated call gets the same answer. */
export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  constructor(private readonly script: readonly Said[]) {}

  async call(request: ModelRequest): Promise<ModelResult> {
    this.requests.push(structuredClone(request));
    const round = request.messages.filter(({ role }) => role === "assistant").length;
    const said = this.script[Math.min(round, this.script.length - 1)];
    if (said instanceof ModelError || said === undefined) throw said ?? new Error("nothing scripted");
    return {
      text: said.text ?? "",
      toolCalls: (said.calls ?? []).map(([name, args], index) => ({
        id: `id_${Math.random()}_${index}`,
        name,
        arguments: typeof args === "string" ? args : JSON.stringify(args),
      })),
      usage: { inputTokens: said.tokens ?? 1, outputTokens: 1 },
      finishReason: said.calls === undefined ? "stop" : "tool_calls",
      model: "test",
    };
  }
}

export function tool(name: string, run: AgentTool["run"], more: Partial<AgentTool> = {}): AgentTool {
  return {
    ref: { server: "test", tool: name },
    name,
    description: name,
    parameters: { type: "object" },
    timeoutMs: 1_000,
    execution: "once",
    run,
    ...more,
  };
}

export const says =
  (content: string): AgentTool["run"] =>
  async (): Promise<ToolOutput> => ({ content });

export function specOf(tools: readonly AgentTool[], limits: Partial<AgentLimits> = {}): AgentSpec {
  return {
    models: ["test"],
    prompt: () => [{ role: "user", content: "go" }],
    tools: () => tools,
    limits: { ...defaultAgentLimits, ...limits },
    replyId: "msg",
  };
}

export function portsOf(model: AgentPorts["model"], journal: Journal, more: Partial<AgentPorts> = {}): AgentPorts {
  return {
    model,
    journal,
    guard: openGuard,
    signal: never,
    now: () => 0,
    validateArguments: (held, args) =>
      "needs" in held.parameters && !(String(held.parameters.needs) in Object(args))
        ? [`${held.parameters.needs}: is missing`]
        : [],
    withDeadline: async (timeoutMs, work) => {
      if (timeoutMs === 13) throw new Error("no result within 13 ms");
      return work(never);
    },
    ...more,
  };
}
