/**
 * An agent of a team (its supervisor or a worker): its tools, which of them its model sees, and how its calls are
 * supervised. They are supervised like a session's, with the routing tools let through.
 */

import { type ListedWorker, listingOwnTeam, listWorkersRef } from "../agent/built-in/list-workers.js";
import { refusingRepeats } from "../agent/effects.js";
import type { AgentObserver } from "../agent/ports.js";
import {
  type AgentTool,
  builtInServer,
  type GuardDecision,
  type ToolCall,
  type ToolGuard,
  type ToolOutput,
} from "../agent/tools.js";
import { defined } from "../conversation/defined.js";
import { ownValue } from "../conversation/own-value.js";
import { supervisingGuard } from "../supervision/tool-guard.js";
import { sharedTerms, termSet } from "../text/overlap.js";
import { type Draft, writingDraft } from "./draft.js";
import type { TeamPorts, ToolNames } from "./ports.js";
import { limitQuestions } from "./questions.js";
import { isRoutingTool, routingServer } from "./routing-tools.js";
import { sanitized } from "./supervised-texts.js";
import { rosterEntry, type Team, toolRefOf, tracksLoad } from "./team.js";
import { askingOf, emit, inJournal, sourceOf, type TeamContext } from "./team-context.js";
import type { TeamState } from "./team-state.js";

export interface HeldTools {
  readonly all: readonly AgentTool[];
  /** Those that may be used at this moment. */
  readonly inForce: () => readonly AgentTool[];
}

export function heldTools({ team, permits, ports }: TeamContext, agent: ToolNames): HeldTools {
  const ownWorkers = () => listWorkers(team.key, team.definition, ports.state);
  const all = limitQuestions(team.tools(agent), permits).map((tool) =>
    tool.ref.server === builtInServer && tool.ref.tool === listWorkersRef.tool
      ? listingOwnTeam(tool, ownWorkers)
      : tool,
  );
  return { all, inForce: () => all.filter(({ ref }) => team.allows(ref)) };
}

/** A team's workers, with how busy they are where that is counted. */
export async function listWorkers(
  key: string,
  team: Team,
  state: Pick<TeamState, "loads">,
): Promise<readonly ListedWorker[]> {
  const loads = tracksLoad(team) ? await state.loads(key) : undefined;
  return team.workers.map((worker) => ({
    ...rosterEntry(worker),
    available: worker.capabilities.available,
    ...(loads === undefined ? {} : { load: ownValue(loads, worker.id) ?? 0 }),
  }));
}

/** Tools that the team names and that aren't there now (deleted since, or of a server that is down) are on record: nobody may wonder. */
export async function reportMissingTools(run: TeamContext): Promise<void> {
  const { supervisor, workers } = run.team.definition;
  const agents = [
    { agent: "supervisor", tools: supervisor.tools },
    ...workers.map(({ id, tools }) => ({ agent: id, tools })),
  ];
  for (const [index, { agent, tools }] of agents.entries()) {
    const missing = tools.filter((name) => run.team.tools({ tools: [name] }).length === 0);
    if (missing.length === 0) continue;
    await run.ports.journal.commit(`missing/${index}`, () =>
      emit(run, {
        type: "tools.missing",
        agent,
        tools: missing.map((name) => `${toolRefOf(name).server}/${toolRefOf(name).tool}`),
      }),
    );
  }
}

/** At most `max` tools, in their order; the system's own are always among them, beyond the number. */
export function mostRelevant(tools: readonly AgentTool[], text: string, max: number | undefined): readonly AgentTool[] {
  const isOwn = (tool: AgentTool): boolean => tool.ref.server === builtInServer || isRoutingTool(tool);
  const others = tools.filter((tool) => !isOwn(tool));
  if (max === undefined || others.length <= max) return tools;
  const words = termSet(text);
  const score = (tool: AgentTool): number =>
    // A name says more than a description.
    2 * sharedTerms(termSet(tool.name.replaceAll("_", " ")), words) + sharedTerms(termSet(tool.description), words);
  const best = new Set(others.toSorted((a, b) => score(b) - score(a)).slice(0, max));
  return tools.filter((tool) => isOwn(tool) || best.has(tool));
}

const decideAlone =
  "Not taken yet: other tools were called in the same round, and their results may matter. Decide once you have read them.";

/** One of a team's agents, as its calls are guarded and recorded. */
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
  const ports = { ...run.ports, supervise: { ...run.ports.supervise, source: sourceOf(run, name) } };
  const supervised = refusingRepeats(
    supervisingGuard({ supervisors: ports.supervisors, tools }, ports, ports.noteDegraded),
    run.effects,
  );
  const otherCalls = new Set<string>();
  const isOwn = isRoutingTool;
  const roundOf = (callId: string): string => callId.slice(0, callId.lastIndexOf("."));
  return {
    async beforeCall(call, journal) {
      if (!isOwn(call.tool)) otherCalls.add(roundOf(call.toolCallId));
      if (!isOwn(call.tool)) return supervised.beforeCall(call, journal);
      // All calls of a round come here before any of them goes on.
      await Promise.resolve();
      return otherCalls.has(roundOf(call.toolCallId))
        ? { kind: "refuse", reason: decideAlone, why: "with_others" }
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
const longestRecorded = 4_000;

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
    arguments: (await sanitized(run, JSON.stringify(args), "arguments")).slice(0, longestRecorded),
    output: (await sanitized(run, content, "output")).slice(0, longestRecorded),
  };
  await run.ports.journal.commit("used", () => emit(run, { type: "tool.used", ...used }));
}

/** The ports of one agent of the team, in a scope of the journal. */
export function teamAgentPorts(run: TeamContext, scope: string, agent: GuardedAgent) {
  const { ports } = run;
  return {
    ...ports,
    worker: agent.name,
    journal: ports.journal.scope(scope),
    asking: askingOf(run, agent.name),
    guard: teamGuard(agent, run),
    observer: { ...withoutOwnTools(ports.observer), ...writingDraft(agent.draft) },
    // The routing tools check their arguments themselves.
    validateArguments: (tool: AgentTool, args: unknown) =>
      isRoutingTool(tool) ? [] : ports.validateArguments(tool, args),
  };
}

/** Decisions and handoffs are recorded as what they are, not as tool calls. */
function withoutOwnTools(observer: TeamPorts["observer"]): AgentObserver {
  const { toolCalled, toolReturned, toolRejected, toolProgress } = observer;
  return {
    ...defined({ toolRejected, toolProgress }),
    toolCalled: (call) => (call.server === routingServer ? undefined : toolCalled?.(call)),
    toolReturned: (call) => (call.server === routingServer ? undefined : toolReturned?.(call)),
  };
}
