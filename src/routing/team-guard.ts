/** How the tool calls of a team's agents are supervised: like a session's, with the routing tools let through. */
import type { AgentObserver } from "../agent/ports.js";
import type { AgentTool, GuardDecision, ToolCall, ToolGuard, ToolOutput } from "../agent/tools.js";
import { supervisingGuard } from "../supervision/tool-guard.js";
import { type Draft, writingDraft } from "./draft.js";
import { once } from "./once.js";
import type { TeamPorts } from "./ports.js";
import { routingServer } from "./routing-tools.js";
import { emit, inJournal, sanitized, type TeamContext } from "./team-run.js";

const alone =
  "Not taken yet: other tools were called in the same round, and their results may matter. Decide once you have read them.";

/** One of a team's agents, as its calls are guarded and told of. */
export interface GuardedAgent {
  /** A worker's id, or `supervisor`. */
  readonly name: string;
  /** Those that may be used now. */
  readonly tools: () => readonly AgentTool[];
  /** Where it writes what will be the response. */
  readonly draft?: Draft | undefined;
}

/** The guard of one agent. A decision that comes along with other calls is put off until their results have been seen. */
function teamGuard({ name, tools }: GuardedAgent, run: TeamContext): ToolGuard {
  const { ports } = run;
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
      if (isOwn(call.tool)) return { kind: "go", value: output };
      const decision = await supervised.afterCall(call, output, journal);
      if (run.team.definition.supervisor.verbose) await reportToolUse(inJournal(run, journal), name, call, decision);
      return decision;
    },
  };
}

/** The most of a call's arguments and of its output that a verbose trace keeps, in characters. */
const longestTold = 4_000;

/** What a tool was called with and what came of it, for the trace of a verbose team. */
async function reportToolUse(
  run: TeamContext,
  agent: string,
  { tool, args }: ToolCall,
  decision: GuardDecision<ToolOutput>,
): Promise<void> {
  const content = decision.kind === "go" ? decision.value.content : decision.reason;
  const used = {
    ...tool.ref,
    agent,
    arguments: (await sanitized(run, JSON.stringify(args), "arguments")).slice(0, longestTold),
    output: (await sanitized(run, content, "output")).slice(0, longestTold),
  };
  await once(run, "used", undefined, () => emit(run, { type: "tool.used", ...used }));
}

/** The ports of one agent of the team, in a scope of the journal. */
export function agentPorts(run: TeamContext, scope: string, agent: GuardedAgent) {
  const { ports } = run;
  return {
    ...ports,
    journal: ports.journal.scope(scope),
    guard: teamGuard(agent, run),
    observer: { ...withoutOwnTools(ports.observer), ...writingDraft(agent.draft) },
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
