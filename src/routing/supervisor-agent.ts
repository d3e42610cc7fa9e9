/**
 * A team's supervisor as an agent: it looks things up, asks a person where that is needed, and decides by calling `route_to`.
 * Its last round can only decide. What it writes instead is read as JSON; a decision that can't be used goes back to it once, with the reason.
 */

import type { AgentOutcome } from "../agent/agent-spec.js";
import { modelList } from "../agent/definition.js";
import { type Effect, effectsOf } from "../agent/effects.js";
import { limitRefusalOf } from "../agent/limit-refusal.js";
import { runAgent } from "../agent/loop.js";
import { isRequested } from "../agent/tool-call.js";
import type { AgentTool, ToolGuard } from "../agent/tools.js";
import { defined } from "../conversation/defined.js";
import type { ModelMessage } from "../model/port.js";
import { toolsInText } from "../model/tools-in-text.js";
import { findingsOf, keepExchange } from "./agent-reports.js";
import { addClarifications, type Clarification, clarificationsOf } from "./clarifications.js";
import { checkDecision, type ReadDecision, readDecision } from "./decision-repair.js";
import { agentPrompt } from "./prompt-context.js";
import { briefText, type Finding, type RosterEntry, type RoutingInput, type StrategyOutcome } from "./routing-input.js";
import { finishTool, respondTool, routeToTool } from "./routing-tools.js";
import type { SupervisorDecision } from "./strategies/strategy.js";
import { type HeldTools, heldTools, mostRelevant, teamAgentPorts } from "./team-agent.js";
import { emit, type TeamContext } from "./team-context.js";

/** @throws {Parked} while it waits for a person. */
export async function askSupervisor(run: TeamContext, input: RoutingInput): Promise<SupervisorDecision> {
  const attempt = new Attempt(run, input);
  const exhausted = run.budget.exhausted();
  if (exhausted !== undefined) return attempt.give({ kind: "none", why: exhausted });

  const first = await attempt.decide();
  if (first.read === undefined) return attempt.give(first.outcome);
  if (first.read.ok) return attempt.give({ kind: "route", choice: first.read.choice });
  if (run.budget.exhausted() !== undefined) return attempt.give({ kind: "none", why: first.read.problem });
  const second = await attempt.repair(first.text, first.read.problem);
  return attempt.give(second);
}

const noTools: HeldTools = { all: [], inForce: () => [] };

type FirstDecision =
  | { readonly read: ReadDecision; readonly text: string }
  | { readonly read?: undefined; readonly outcome: StrategyOutcome };

class Attempt {
  private readonly clarifications: Clarification[] = [];
  private readonly problems: string[] = [];
  private readonly ids: readonly string[];
  private readonly known: readonly string[];
  private readonly ending: readonly AgentTool[];
  /** Its model takes no tool calls: it writes them as JSON. */
  private inText = false;
  /** What has been read so far: the tools that fit are picked by it. */
  private readonly read: string[] = [];
  /** Its tool calls of earlier rounds and of this one, with their results: it goes on from them. */
  private exchange: readonly ModelMessage[];
  private readonly findings: Finding[] = [];
  private readonly effects: Effect[] = [];

  constructor(
    private readonly run: TeamContext,
    private readonly input: RoutingInput,
  ) {
    this.ids = input.live.map(({ id }) => id);
    this.known = run.team.definition.workers.map(({ id }) => id);
    const { maxIterations, mayAnswer } = run.team.definition.supervisor;
    const routeTo = routeToTool(input.live, this.known, input.iteration + 1 < maxIterations);
    const done = input.results.some(({ status }) => status === "completed");
    this.ending = [routeTo, ...(done ? [finishTool] : []), ...(mayAnswer ? [respondTool] : [])];
    this.read.push(input.input);
    this.exchange = input.exchange ?? [];
  }

  give(outcome: StrategyOutcome): SupervisorDecision {
    const { clarifications, problems, exchange, findings, effects } = this;
    return { outcome, clarifications, problems, exchange, findings, effects };
  }

  /** The supervisor with its tools. */
  async decide(): Promise<FirstDecision> {
    const { supervisor } = this.run.team.definition;
    const held = heldTools(this.run, supervisor);
    const tools = (): readonly AgentTool[] => [
      ...this.ending,
      ...mostRelevant(held.inForce(), this.read.join("\n"), supervisor.maxToolsPerRound),
    ];
    const called = await this.call("agent", supervisor.maxToolRetries, tools, held, []);
    const isRefused = called.kind === "failed" && called.toolsRefused === true && called.turns.length === 0;
    const outcome = isRefused ? await this.decideInText(tools, held) : called;
    const decided = this.decisionOf(outcome);
    if (decided !== undefined) return decided;
    const detail = outcome.kind === "failed" ? outcome.detail : "it gave no decision";
    return { outcome: { kind: "none", why: `the supervisor's model failed: ${detail}` } };
  }

  /** The same, of a model that takes no tools: all of them stay, `ask_human` too. */
  private async decideInText(tools: () => readonly AgentTool[], held: HeldTools): Promise<AgentOutcome> {
    const { run } = this;
    this.inText = true;
    await run.ports.journal.commit("toolsRefused", () => emit(run, { type: "tools.refused", agent: "supervisor" }));
    return this.call("plain", run.team.definition.supervisor.maxToolRetries, tools, held, []);
  }

  /** One more round, in which the supervisor sees what was wrong and can only decide. */
  async repair(answer: string, problem: string): Promise<StrategyOutcome> {
    this.problems.push(problem);
    const messages: ModelMessage[] = [
      ...(answer === "" ? [] : [{ role: "assistant" as const, content: answer }]),
      { role: "user", content: `That decision can't be used: ${problem} ${jsonDemand(this.ids)}` },
    ];
    const outcome = await this.call("repair", 0, () => this.ending, noTools, messages);
    const decided = this.decisionOf(outcome);
    if (decided?.read === undefined) {
      const detail = outcome.kind === "failed" ? outcome.detail : "it gave no decision";
      return decided?.outcome ?? { kind: "none", why: `the supervisor's model failed: ${detail}` };
    }
    if (decided.read.ok) return { kind: "route", choice: decided.read.choice };
    this.problems.push(decided.read.problem);
    return { kind: "none", why: `the supervisor's decision can't be used: ${decided.read.problem}` };
  }

  private async call(
    scope: string,
    maxToolRounds: number,
    tools: () => readonly AgentTool[],
    held: HeldTools,
    more: readonly ModelMessage[],
  ): Promise<AgentOutcome> {
    const { run, input } = this;
    const { supervisor } = run.team.definition;
    const ports = teamAgentPorts(run, scope, {
      name: "supervisor",
      tools: () => [...this.ending, ...held.inForce()],
    });
    const clarifications = [...input.clarifications, ...this.clarifications];
    const before = this.exchange;
    const outcome = await runAgent(
      {
        models: modelList(supervisor.model),
        prompt: () => [...this.prompt(clarifications), ...before, ...more],
        tools,
        // A call of a tool that isn't among the most relevant any more is found again on a replay.
        removedTool: (requested) => held.all.find((tool) => isRequested(tool, requested)),
        endingTools: this.ending.map(({ name }) => name),
        // In words it may answer all the same; then they are read as JSON.
        toolChoice: "required",
        ...defined({ temperature: supervisor.temperature }),
        limits: run.budget.agentLimits(maxToolRounds),
        replyId: `${run.command.id}.s${input.iteration}.${scope}`,
      },
      {
        ...ports,
        ...(this.inText ? { model: toolsInText(ports.model) } : {}),
        guard: this.listening(ports.guard),
      },
    );
    run.budget.spend(outcome, limitRefusalOf(outcome));
    addClarifications(
      this.clarifications,
      clarificationsOf(outcome, (callId) => run.permits.askOf(callId)),
    );
    this.exchange = keepExchange(before, outcome.exchange, `${input.iteration}_${scope}`);
    this.findings.push(...findingsOf(outcome));
    this.effects.push(...effectsOf(outcome.effects, run.command.path, "supervisor"));
    return outcome;
  }

  private decisionOf(outcome: AgentOutcome): FirstDecision | undefined {
    if (outcome.kind === "failed") return undefined;
    if (outcome.kind === "ended") {
      if (outcome.by.name === finishTool.name) {
        const reasoning = String(outcome.by.args.reasoning ?? "The results are enough.");
        return { outcome: { kind: "finish", reasoning } };
      }
      if (outcome.by.name === respondTool.name) {
        const reasoning = String(outcome.by.args.reasoning ?? "It needs no worker.");
        return { outcome: { kind: "respond", response: String(outcome.by.args.response), reasoning } };
      }
      return { read: checkDecision(outcome.by.args, this.ids, this.known), text: "" };
    }
    const read = this.readText(outcome);
    // A last round with a call that couldn't be used says more than its empty text.
    const refused = outcome.turns.at(-1)?.toolCalls?.find(({ error }) => error !== undefined)?.error;
    return !read.ok && outcome.text === "" && refused !== undefined
      ? { read: { ok: false, problem: refused }, text: "" }
      : { read, text: outcome.text };
  }

  /** What was written in place of a call. */
  private readText({ text, uncalled }: Extract<AgentOutcome, { kind: "answered" }>): ReadDecision {
    if (text.trim() !== "" || uncalled === undefined) return readDecision(text, this.ids, this.known);
    const { maxToolRetries } = this.run.team.definition.supervisor;
    const names = [...new Set(uncalled)].join(", ");
    const problem = `it called ${names} once more instead of deciding, after its last round with tools (maxToolRetries: ${maxToolRetries}).`;
    return { ok: false, problem };
  }

  private listening(guard: ToolGuard): ToolGuard {
    return {
      beforeCall: (call, journal) => guard.beforeCall(call, journal),
      afterCall: async (call, output, journal) => {
        const decision = await guard.afterCall(call, output, journal);
        if (decision.kind === "go") this.read.push(decision.value.content);
        return decision;
      },
    };
  }

  private prompt(clarifications: readonly Clarification[]): readonly ModelMessage[] {
    const { input, results, live, effects = [] } = this.input;
    // Its own are in its exchange.
    const agentPath = [...this.run.command.path, "supervisor"].join("/");
    const { systemPrompt, mayAnswer } = this.run.team.definition.supervisor;
    const instructions = [
      systemPrompt ?? "You route requests to the worker that fits best.",
      `The workers that can be chosen:\n${live.map(describe).join("\n")}`,
      mayAnswer
        ? "Decide with route_to. What needs no worker you answer with respond; don't do a worker's work."
        : "Decide with route_to. Don't do the work yourself.",
    ];
    const others = effects.filter(({ by }) => by !== agentPath);
    return agentPrompt(this.run, instructions, briefText({ input, clarifications, results, effects: others }));
  }
}

function describe({ id, description, skills }: RosterEntry): string {
  return `- ${id}: ${description}${skills.length === 0 ? "" : ` (skills: ${skills.join(", ")})`}`;
}

function jsonDemand(ids: readonly string[]): string {
  return `Decide now. Call route_to, or if you can't call tools, answer with this JSON alone: {"targetAgent": one of ${JSON.stringify(ids)}, "reasoning": "why, in a sentence", "confidence": a number from 0 to 1}`;
}
