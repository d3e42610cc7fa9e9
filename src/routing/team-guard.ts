/** How the tool calls of a team's agents are supervised: like a session's, with the routing tools let through. */
import type { AgentObserver } from "../agent/ports.js";
import type { AgentTool, ToolGuard } from "../agent/tools.js";
import { supervisingGuard } from "../chat/tool-guard.js";
import { type Draft, writingDraft } from "./draft.js";
import type { TeamPorts } from "./ports.js";
import { routingServer } from "./routing-tools.js";

const alone =
  "Not taken yet: other tools were called in the same round, and their results may matter. Decide once you have read them.";

/** The guard of one agent. A decision that comes along with other calls is put off until their results have been seen. */
export function teamGuard(tools: () => readonly AgentTool[], ports: TeamPorts): ToolGuard {
  const supervised = supervisingGuard({ supervisors: ports.supervisors, tools }, ports, ports.degraded);
  const otherCalls = new Set<string>();
  const isOwn = (tool: AgentTool): boolean => tool.ref.server === routingServer;
  const roundOf = (callId: string): string => callId.slice(0, callId.lastIndexOf("."));
  return {
    async beforeCall(call, journal) {
      if (!isOwn(call.tool)) otherCalls.add(roundOf(call.toolCallId));
      if (!isOwn(call.tool)) return supervised.beforeCall(call, journal);
      // All calls of a round come here before any of them goes on.
      await Promise.resolve();
      return otherCalls.has(roundOf(call.toolCallId))
        ? { kind: "refuse", reason: alone }
        : { kind: "go", value: call.args };
    },
    async afterCall(call, output, journal) {
      return isOwn(call.tool) ? { kind: "go", value: output } : supervised.afterCall(call, output, journal);
    },
  };
}

/** The ports of one agent of the team, in a scope of the journal. */
export function agentPorts(ports: TeamPorts, scope: string, tools: () => readonly AgentTool[], draft?: Draft) {
  return {
    ...ports,
    journal: ports.journal.scope(scope),
    guard: teamGuard(tools, ports),
    observer: { ...withoutOwnTools(ports.observer), ...writingDraft(draft) },
    // The routing tools check their arguments themselves.
    validateArguments: (tool: AgentTool, args: unknown) =>
      tool.ref.server === routingServer ? [] : ports.validateArguments(tool, args),
  };
}

/** Decisions and handoffs are told of as what they are, not as tool calls. */
function withoutOwnTools({ toolCalled, toolReturned }: TeamPorts["observer"]): AgentObserver {
  return {
    toolCalled: (call) => (call.server === routingServer ? undefined : toolCalled?.(call)),
    toolReturned: (call) => (call.server === routingServer ? undefined : toolReturned?.(call)),
  };
}
