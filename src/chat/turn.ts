/**
 * A turn: a supervised exchange whose work is an agent or a team. A durable function: it is entered again after every
 * interruption and goes on at the first step that has no result. It decides; its ports store what it decides.
 */
import type { AgentLimits } from "../agent/budget.js";
import { type Journal, Parked } from "../agent/journal.js";
import { type AgentOutcome, runAgent } from "../agent/loop.js";
import type { AgentObserver, AgentPorts, CallObserver } from "../agent/ports.js";
import { buildPrompt, type HistoryMessage, type PromptParts } from "../agent/prompt.js";
import type { RequestedTool } from "../agent/tool-call.js";
import type { AgentTool, ToolCall } from "../agent/tools.js";
import { nearest, type QuestionPolicy } from "../asks/policy.js";
import { type AssistantMessage, type ModelReply, type PlainMessage, replyText } from "../conversation/message.js";
import type { Metadata } from "../conversation/names.js";
import { type NestedPanel, runPanel } from "../roundtable/nested.js";
import { debateTopic } from "../roundtable/topic.js";
import type { LoadedTeam, TeamPorts } from "../routing/ports.js";
import { activeAfter } from "../routing/sticky.js";
import type { PromptContext, TeamCommand } from "../routing/team-context.js";
import { runTeam } from "../routing/team-loop.js";
import type { TraceEntry } from "../routing/trace.js";
import { type NoteDegraded, runExchange } from "../supervision/exchange.js";
import type { HookSummary } from "../supervision/summary.js";
import type { SupervisePorts } from "../supervision/supervise.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { supervisingGuard, type ToolGuardPorts } from "../supervision/tool-guard.js";
import { questionCalls } from "./answered-questions.js";
import { type Given, superviseGiven } from "./given-conversation.js";
import { answeringOf, limitsOf, promptOf, withGiven } from "./given-prompt.js";
import { superviseWaiting, type WaitingReply } from "./partial-reply.js";
import { withinReplySize } from "./reply-size.js";
import type { ReplyStream } from "./reply-stream.js";
import { callerTool, type TurnRequest } from "./turn-request.js";

export interface TurnCommand {
  readonly turnId: string;
  readonly messageId: string;
  readonly replyId: string;
  readonly content: string;
  /** What the caller sent along with it. */
  readonly request?: TurnRequest | undefined;
  /** When it was accepted; milliseconds since the epoch. */
  readonly acceptedAt: number;
}

/** What holds for a turn. The functions give what is in force now: a supervisor may change it while the turn runs. */
export interface TurnSetup {
  readonly models: readonly string[];
  readonly instructions: string;
  readonly temperature?: number | undefined;
  readonly limits: AgentLimits;
  readonly supervisors: readonly Supervisor[];
  /** What is in force for a message, mentions and likeness included. */
  readonly context: (message: string) => Pick<PromptParts, "rules" | "references">;
  /** Loads what a message mentions and what is remembered; to be called before `context` and `memory`. */
  readonly prepare?: (message: string) => Promise<void>;
  readonly tools: () => readonly AgentTool[];
  /** Finds a tool that is out of force by now. */
  readonly removedTool?: (requested: RequestedTool) => AgentTool | undefined;
  readonly history: readonly HistoryMessage[];
  /** What is remembered that has to do with the message; loaded by `prepare`. */
  readonly memory: () => PromptParts["memory"];
  /** What the agent's model is to know of the end user. */
  readonly facts?: PromptParts["facts"];
  /** The end user, and the session's notes: a team routes by them, and shows what it lists. */
  readonly subject?: string | undefined;
  readonly metadata?: Metadata;
  /** The team's worker that answered the turn before. */
  readonly activeWorker?: string | undefined;
  /** What the agent says of its questions to people. */
  readonly questions?: QuestionPolicy | undefined;
  /** The team that answers in place of the model. */
  readonly team?: LoadedTeam | undefined;
  /** The panel that debates the message in place of the model. */
  readonly panel?: NestedPanel | undefined;
}

/** What a turn needs to let a team answer, beyond what it needs anyway. */
export interface TeamTurnPorts extends Pick<TeamPorts, "asks" | "raise" | "state" | "callWorker"> {
  readonly traced: (entry: TraceEntry) => void;
}

export interface TurnPorts extends Omit<AgentPorts, "guard" | "observer" | "journal">, ToolGuardPorts {
  readonly journal: Journal;
  readonly supervise: SupervisePorts;
  readonly observer: CallObserver & Pick<TeamPorts["observer"], "debated">;
  readonly stream: ReplyStream;
  readonly team: TeamTurnPorts;
  /** The turn has to wait, and this much of its reply is there. Called once for each wait, in the write that decides it. */
  readonly waiting: (waiting: WaitingReply) => void;
  /** The effective message is known: called once, in the same write as its verdict. */
  readonly messageDecided: (message: PlainMessage, blocked: boolean) => void;
}

export interface TurnOutcome {
  readonly status: "completed" | "blocked" | "failed";
  readonly reply?: AssistantMessage;
  readonly error?: PlainMessage;
  /** Why it failed, for operators: models, tools and workers word it. */
  readonly failure?: string;
  readonly request: HookSummary;
  readonly response?: HookSummary;
  /** Supervisors whose failure let something through. */
  readonly degraded: string[];
}

/**
 * Runs a turn to its end: one supervised exchange, whose work is the agent or the team.
 * @throws {Parked} while the turn waits for an ask.
 * @example
 * const outcome = await runTurn({ turnId, messageId, replyId, content: "Where is my parcel?", acceptedAt }, setup, ports);
 * if (outcome.status === "completed") show(outcome.reply);
 */
export async function runTurn(command: TurnCommand, setup: TurnSetup, ports: TurnPorts): Promise<TurnOutcome> {
  const { messageId, replyId, request: sent } = command;
  let code: FailureCode = "model_failed";
  const ignored: string[] = [];
  const judged =
    sent && (await superviseGiven(sent, command, setup.supervisors, ports, (names) => ignored.push(...names)));
  if (judged?.kind === "blocked") {
    const { reasons } = judged;
    await ports.journal.commit("message", () => ports.messageDecided(blockedStub(messageId, reasons), true));
    const error = errorMessage(replyId, `Your message was blocked. ${sentences(reasons)}`);
    return { status: "blocked", error, request: { action: "block", reasons: [...reasons] }, degraded: ignored };
  }
  const given = judged?.given;
  const content = given?.content ?? command.content;
  const outcome = await runExchange<"request", "response", undefined>(
    {
      request: { hook: "request", message: { messageId, role: "user", content } },
      supervisors: setup.supervisors,
      commit: {
        id: "message",
        onDone: ({ message }, { action, reasons }) => {
          const blocked = action === "block";
          ports.messageDecided(blocked ? blockedStub(messageId, reasons) : message, blocked);
        },
      },
      work: async ({ message }, noteDegraded) => {
        await setup.prepare?.(message.content);
        noteDegraded(ignored);
        const answered = await answer({ ...command, content, given }, message.content, setup, ports, noteDegraded);
        if (answered.kind === "failed") code = answered.code;
        return answered.kind === "failed"
          ? { kind: "failed", detail: answered.detail, report: undefined }
          : {
              kind: "responded",
              response: { hook: "response", reply: replyOf(answered, command.acceptedAt) },
              report: undefined,
            };
      },
    },
    ports,
  );
  const { status, request, degraded } = outcome;
  switch (status) {
    case "completed": {
      const { reply } = outcome.result;
      ports.stream.finish(replyText(reply));
      const message: AssistantMessage = { messageId: replyId, role: "assistant", modelReply: reply };
      return { status, reply: message, request, response: outcome.response, degraded };
    }
    case "failed":
      ports.stream.withdraw();
      return { status, error: errorMessage(replyId, failureTexts[code]), failure: outcome.detail, request, degraded };
    case "blocked": {
      if (outcome.hook === "request") {
        const error = errorMessage(replyId, `Your message was blocked. ${sentences(request.reasons)}`);
        return { status, error, request, degraded };
      }
      const { response } = outcome;
      ports.stream.withdraw();
      const error = errorMessage(replyId, `The answer was blocked. ${sentences(response.reasons)}`);
      return { status, error, request, response, degraded };
    }
  }
}

type FailureCode = Extract<AgentOutcome, { kind: "failed" }>["code"];

/** What end users read of a failure. What a model, a tool or a worker said of it may hold anything, and isn't for them. */
const failureTexts: Readonly<Record<FailureCode, string>> = {
  model_failed: "The answer failed: nobody could give one (model_failed). Send the message again later.",
  budget_exceeded: "The answer failed: it took more than one answer may take (budget_exceeded). Ask for less at once.",
};

/** A turn's command with what supervision left of what was sent along with its message. */
interface JudgedCommand extends TurnCommand {
  readonly given: Given | undefined;
}

function answer(
  command: JudgedCommand,
  message: string,
  setup: TurnSetup,
  ports: TurnPorts,
  noteDegraded: NoteDegraded,
): Promise<AgentOutcome> {
  const { team, panel } = setup;
  const { given } = command;
  const promptContext: PromptContext = () =>
    withGiven(given, {
      facts: setup.facts ?? [],
      ...setup.context(message),
      memory: setup.memory(),
      history: setup.history,
    });
  if (team !== undefined) {
    const { subject, metadata = {}, activeWorker } = setup;
    const task = { id: command.replyId, input: message, metadata, subject, activeWorker, promptContext, path: [] };
    return answerAsTeam(task, team, command.turnId, { ...ports, supervisors: setup.supervisors, noteDegraded });
  }
  if (panel !== undefined) {
    const about = { ...promptContext(), message };
    return answerAsPanel(command, panel, about, { ...ports, supervisors: setup.supervisors, noteDegraded });
  }
  return answerAsAgent(command, message, promptContext, setup, ports, noteDegraded);
}

/** The turn answered by the agent itself. While it waits for an ask, what there is of its reply is shown. */
async function answerAsAgent(
  command: JudgedCommand,
  message: string,
  promptContext: PromptContext,
  setup: TurnSetup,
  ports: TurnPorts,
  noteDegraded: NoteDegraded,
): Promise<AgentOutcome> {
  const { removedTool } = setup;
  const { given, request } = command;
  const tools = (): readonly AgentTool[] => [...setup.tools(), ...(request?.tools ?? []).map(callerTool)];
  const temperature = request?.temperature ?? setup.temperature;
  const cleared = new Map<string, Readonly<Record<string, unknown>>>();
  const guardPorts = { ...ports, cleared: (id: string, args: ToolCall["args"]) => void cleared.set(id, args) };
  let sofar: Parameters<NonNullable<AgentObserver["waiting"]>>[0] | undefined;
  try {
    return await runAgent(
      {
        models: setup.models,
        prompt: () =>
          buildPrompt({
            instructions: setup.instructions,
            ...promptContext(),
            ...promptOf(given, message),
            toolName: (ref) => tools().find((tool) => sameRef(tool.ref, ref))?.name,
          }),
        tools,
        ...(removedTool === undefined ? {} : { removedTool }),
        ...(temperature === undefined ? {} : { temperature }),
        ...answeringOf(request),
        limits: limitsOf(setup.limits, request),
        replyId: command.replyId,
      },
      {
        ...ports,
        journal: ports.journal.scope("agent"),
        asking: { source: {}, policy: nearest(setup.questions, ports.asking?.policy) },
        guard: supervisingGuard({ ...setup, tools }, guardPorts, noteDegraded),
        observer: {
          ...ports.observer,
          listen: () => ports.stream.listenToRound(),
          roundText: (_round, text) => ports.stream.roundComplete(text),
          waiting: (waiting) => {
            sofar = waiting;
          },
        },
      },
    );
  } catch (error) {
    if (!(error instanceof Parked) || sofar === undefined) throw error;
    const timestamp = new Date(command.acceptedAt).toISOString();
    await superviseWaiting({ ...sofar, timestamp }, cleared, setup.supervisors, ports);
    throw error;
  }
}

function sameRef(a: AgentTool["ref"], b: AgentTool["ref"]): boolean {
  return a.server === b.server && a.tool === b.tool;
}

/** The turn answered by a team: its steps are steps of the turn, its questions are the turn's. */
async function answerAsTeam(
  task: TeamCommand,
  team: LoadedTeam,
  turnId: string,
  ports: TurnPorts & Pick<TeamPorts, "supervisors" | "noteDegraded">,
): Promise<AgentOutcome> {
  const { asks, raise, state, callWorker, traced } = ports.team;
  const outcome = await runTeam(
    task,
    team,
    {
      ...ports,
      journal: ports.journal.scope("team"),
      asks,
      raise,
      state,
      callWorker,
      observer: { ...ports.observer, traced, keepsTexts: false },
      work: turnId,
    },
    ports.stream.listenToRound(),
  );
  const { inputTokens, outputTokens, activeMs, modelCalls } = outcome.spent;
  const spent = { modelCalls, inputTokens, outputTokens, activeMs, effects: outcome.effects, exchange: [] };
  if (outcome.kind === "failed")
    return { kind: "failed", code: "model_failed", detail: outcome.detail, turns: [], ...spent };
  const active = activeAfter(team.definition, outcome.results);
  const workers = [...new Set(outcome.results.map(({ worker }) => worker))].join(", ");
  return {
    kind: "answered",
    text: outcome.response,
    turns: [
      {
        turnId: `${task.id}.0`,
        message: outcome.response,
        inputTokens,
        outputTokens,
        ...(outcome.clarifications.length === 0 ? {} : { toolCalls: questionCalls(outcome.clarifications, task.id) }),
      },
    ],
    metadata: { team: team.key, workers, modelCalls, ...(active === undefined ? {} : { activeWorker: active }) },
    ...spent,
  };
}

/** The turn answered by a panel: its rounds are steps of the turn, what its seats ask for are asks of the turn. */
async function answerAsPanel(
  { replyId }: TurnCommand,
  panel: NestedPanel,
  about: Omit<PromptParts, "instructions">,
  ports: TurnPorts & Pick<TeamPorts, "supervisors" | "noteDegraded">,
): Promise<AgentOutcome> {
  const { asks, raise } = ports.team;
  const outcome = await runPanel(replyId, debateTopic(about), panel, {
    ...ports,
    journal: ports.journal.scope("panel"),
    asks,
    raise,
    observer: { ...ports.observer, recorded: ports.observer.debated },
  });
  const { inputTokens, outputTokens, activeMs, modelCalls } = outcome.spent;
  const spent = { modelCalls, inputTokens, outputTokens, activeMs, effects: outcome.effects, exchange: [] };
  if (outcome.kind === "failed") {
    return { kind: "failed", code: "model_failed", detail: outcome.detail, turns: [], ...spent };
  }
  const { response, rounds, exit } = outcome;
  ports.stream.roundComplete(response);
  return {
    kind: "answered",
    text: response,
    turns: [{ turnId: `${replyId}.0`, message: response, inputTokens, outputTokens }],
    metadata: { panel: panel.name, rounds, exit: exit.reason, modelCalls },
    ...spent,
  };
}

function replyOf(outcome: AgentOutcome, acceptedAt: number): ModelReply {
  const { turns, metadata } = outcome;
  return {
    timestamp: new Date(acceptedAt).toISOString(),
    turns: withinReplySize(turns),
    ...(outcome.kind === "answered" && outcome.pending !== undefined ? { pendingToolCalls: [...outcome.pending] } : {}),
    ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
  };
}

function blockedStub(messageId: string, reasons: readonly string[]): PlainMessage {
  return { messageId, role: "user", content: `[blocked] ${sentences(reasons)}`.trim() };
}

function errorMessage(messageId: string, content: string): PlainMessage {
  return { messageId, role: "error", content: content.trim() };
}

function sentences(reasons: readonly string[]): string {
  return reasons.map((reason) => (/[.!?]$/.test(reason) ? reason : `${reason}.`)).join(" ");
}
