/** A team at work in plain Node: its models say what a test scripts, its journal can be entered again, its trace is read. */

import { askHumanTool } from "../../src/agent/built-in/ask-human.js";
import { Parked } from "../../src/agent/journal.js";
import type { AgentTool } from "../../src/agent/tools.js";
import type { Ask } from "../../src/asks/ask.js";
import { ModelError, type ModelRequest, type ModelResult } from "../../src/model/port.js";
import type { LoadedTeam, TeamPorts } from "../../src/routing/ports.js";
import { noPromptContext } from "../../src/routing/prompt-context.js";
import { teamSchema } from "../../src/routing/team.js";
import type { TeamCommand } from "../../src/routing/team-context.js";
import { runTeam, type TeamOutcome } from "../../src/routing/team-loop.js";
import type { TraceEntry } from "../../src/routing/trace.js";
import { prepareExamples } from "../../src/text/example-classifier.js";
import { never } from "../agent/support.js";
import { type CrashPoint, JournalStore, MemoryJournal } from "../support/memory-journal.js";

export type Reply = string | ModelError | { readonly name: string; readonly args: object };

export const routeTo = (targetAgent: string, more: object = {}): Reply => ({
  name: "route_to",
  args: { targetAgent, reasoning: "It fits.", confidence: 0.9, ...more },
});

export const refusingTools = new ModelError("bad_request", "the provider answered 400: it takes no tools", {
  status: 400,
  toolsRefused: true,
});

/** A worker whose model is `openai/<id>`. */
export const worker = (id: string, more: object = {}): object => ({
  id,
  description: `Knows about ${id}`,
  model: `openai/${id}`,
  ...more,
});

export function loadedTeam(definition: unknown, more: Partial<LoadedTeam> = {}): LoadedTeam {
  return {
    key: "team",
    definition: teamSchema.parse(definition),
    tools: ({ tools }) => [askHumanTool].filter(({ name }) => tools.includes(name)),
    allows: () => true,
    supervisors: [],
    panel: () => ({ ok: false, detail: "there is no panel here" }),
    nested: () => undefined,
    examples: () => prepareExamples([]),
    ...more,
  };
}

export const bareCommand = { id: "run", input: "Help.", metadata: {}, promptContext: noPromptContext, path: [] };

/** The ports of a team that asks, calls and is watched by nobody but the test, over what a journal holds. */
export function teamPorts(
  store: JournalStore,
  { crash, ...more }: Pick<TeamPorts, "model"> & Partial<TeamPorts> & { readonly crash?: CrashPoint | undefined },
): TeamPorts {
  const withDeadline: TeamPorts["withDeadline"] = (_ms, work) => work(never);
  return {
    journal: new MemoryJournal(store, crash),
    signal: never,
    now: () => 0,
    validateArguments: () => [],
    withDeadline,
    supervise: {
      now: () => 0,
      hash: async () => "",
      withDeadline,
      strict: false,
      decided: () => {},
      review: {},
      source: {},
    },
    approvals: { isApproved: () => false, approveForSession: () => {} },
    supervisors: [],
    noteDegraded: () => {},
    asks: () => [...store.asks.values()],
    raise: () => {
      throw new RangeError("nothing is asked for here");
    },
    debates: { newId: () => "rt_1", record: () => {} },
    state: {
      nextTurn: async () => 0,
      claimLeastBusy: async () => ({ worker: "a", load: 0 }),
      claim: async () => {},
      release: async () => {},
      loads: async () => ({}),
    },
    work: "run",
    callWorker: async () => ({ status: 200, text: "Done." }),
    observer: { keepsTexts: true, traced: () => {}, debated: () => {} },
    ...more,
  };
}

export class TeamWorld {
  readonly journal = new JournalStore();
  readonly trace: TraceEntry[] = [];
  /** What each model was sent, in order. */
  readonly requests: ModelRequest[] = [];

  /** @param replies by the model's name without `openai/`; each reply serves one call, the last one all that follow. */
  constructor(
    private readonly team: LoadedTeam,
    private readonly replies: Readonly<Record<string, readonly Reply[]>>,
    private readonly more: Partial<TeamPorts> = {},
  ) {}

  get asks(): readonly Ask[] {
    return [...this.journal.asks.values()];
  }

  sentTo(model: string): readonly ModelRequest[] {
    return this.requests.filter(({ models }) => models[0] === `openai/${model}`);
  }

  /** Everything that a model was sent in one call, as one text. */
  prompt(model: string, call = 0): string {
    return (this.sentTo(model)[call]?.messages ?? []).map(({ content }) => content).join("\n");
  }

  /** Runs to the end; questions are answered with `answers`, one after another. */
  async run(input: string, answers: readonly string[] = [], command: Partial<TeamCommand> = {}): Promise<TeamOutcome> {
    try {
      return await this.enter(input, command);
    } catch (error) {
      const [answer, ...rest] = answers;
      if (!(error instanceof Parked) || answer === undefined) throw error;
      this.journal.answer({ response: answer });
      return this.run(input, rest, command);
    }
  }

  private enter(input: string, command: Partial<TeamCommand>): Promise<TeamOutcome> {
    return runTeam(
      { ...bareCommand, input, ...command },
      this.team,
      teamPorts(this.journal, {
        model: { call: (request) => this.call(request) },
        observer: { keepsTexts: true, traced: (entry) => this.trace.push(entry), debated: () => {} },
        ...this.more,
      }),
    );
  }

  private async call(request: ModelRequest): Promise<ModelResult> {
    const model = request.models[0]?.replace("openai/", "") ?? "";
    const script = this.replies[model] ?? [];
    const reply = script[Math.min(this.sentTo(model).length, script.length - 1)];
    this.requests.push(structuredClone(request));
    if (reply === undefined) throw new Error(`nothing is scripted for ${model}`);
    if (reply instanceof ModelError) throw reply;
    const usage = { inputTokens: 10, outputTokens: 5 };
    return typeof reply === "string"
      ? { text: reply, toolCalls: [], usage, finishReason: "stop", model }
      : {
          text: "",
          toolCalls: [{ id: "c", name: reply.name, arguments: JSON.stringify(reply.args) }],
          usage,
          finishReason: "tool_calls",
          model,
        };
  }
}

/** A tool of a stored server that answers always the same. */
export const tool = (name: string, content: string, more: Partial<AgentTool> = {}): AgentTool => ({
  ref: { server: "shop", tool: name },
  name,
  description: name,
  parameters: { type: "object" },
  timeoutMs: 1_000,
  execution: "once",
  run: async () => ({ content }),
  ...more,
});
