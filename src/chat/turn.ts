/**
 * A turn: request supervision, prompt, agent, response supervision. A durable function: it is entered again after every
 * interruption and goes on at the first step that has no result. It decides; what it decides is stored by its ports.
 */
import type { AgentLimits } from "../agent/budget.js";
import type { Journal } from "../agent/journal.js";
import { type AgentOutcome, runAgent } from "../agent/loop.js";
import type { AgentObserver, AgentPorts } from "../agent/ports.js";
import { buildPrompt, type HistoryMessage, type PromptParts } from "../agent/prompt.js";
import type { RequestedTool } from "../agent/tool-call.js";
import type { AgentTool } from "../agent/tools.js";
import { type AssistantMessage, type ModelReply, type PlainMessage, replyText } from "../conversation/message.js";
import type { LoadedTeam } from "../routing/ports.js";
import type { SupervisePorts } from "../supervision/supervise.js";
import { supervise } from "../supervision/supervise.js";
import type { Supervisor } from "../supervision/supervisor.js";
import { supervisingGuard, type ToolGuardPorts } from "../supervision/tool-guard.js";
import type { Action } from "../supervision/verdict.js";
import type { ReplyStream } from "./reply-stream.js";
import { answerAsTeam, type TeamTurnPorts } from "./team-answer.js";

export interface TurnCommand {
  readonly turnId: string;
  readonly messageId: string;
  readonly replyId: string;
  readonly content: string;
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
  readonly removedTool?: (wanted: RequestedTool) => AgentTool | undefined;
  readonly history: readonly HistoryMessage[];
  /** What is remembered that has to do with the message; loaded by `prepare`. */
  readonly memory: () => PromptParts["memory"];
  /** The team that answers in place of the model. */
  readonly team?: LoadedTeam | undefined;
}

export interface TurnPorts extends Omit<AgentPorts, "guard" | "observer" | "journal">, ToolGuardPorts {
  readonly journal: Journal;
  readonly supervise: SupervisePorts;
  readonly observer: Pick<AgentObserver, "toolCalled" | "toolReturned">;
  readonly stream: ReplyStream;
  readonly team: TeamTurnPorts;
  /** The effective message is known: called once, in the same write as its verdict. */
  readonly messageDecided: (message: PlainMessage, blocked: boolean) => void;
}

export interface HookSummary {
  readonly action: Action;
  readonly reasons: readonly string[];
}

export interface TurnOutcome {
  readonly status: "completed" | "blocked" | "failed";
  readonly reply?: AssistantMessage;
  readonly error?: PlainMessage;
  readonly request: HookSummary;
  readonly response?: HookSummary;
  /** Supervisors whose failure let something through. */
  readonly degraded: readonly string[];
}

/** @throws {Parked} while the turn waits for an ask. */
export async function runTurn(command: TurnCommand, setup: TurnSetup, ports: TurnPorts): Promise<TurnOutcome> {
  const request = await supervise(
    "request",
    { hook: "request", message: { messageId: command.messageId, role: "user", content: command.content } },
    setup.supervisors,
    ports.journal.scope("request"),
    ports.supervise,
  );
  const summary: HookSummary = { action: request.action, reasons: request.reasons };
  const message = request.subject.message;
  const blocked = request.action === "block";
  await ports.journal.commit("message", () =>
    ports.messageDecided(blocked ? blockedStub(command.messageId, request.reasons) : message, blocked),
  );
  if (blocked) {
    const error = errorMessage(command.replyId, `Your message was blocked. ${sentences(request.reasons)}`);
    return { status: "blocked", error, request: summary, degraded: request.degraded };
  }

  await setup.prepare?.(message.content);
  const degraded = new Set(request.degraded);
  const outcome = await answer(command, message.content, setup, ports, degraded);
  if (outcome.kind === "failed") {
    ports.stream.withdraw();
    const error = errorMessage(command.replyId, `The answer failed: ${outcome.detail}`);
    return { status: "failed", error, request: summary, degraded: [...degraded] };
  }

  const response = await supervise(
    "response",
    { hook: "response", reply: replyOf(outcome, command.acceptedAt) },
    setup.supervisors,
    ports.journal.scope("response"),
    ports.supervise,
  );
  for (const name of response.degraded) degraded.add(name);
  const decided = { request: summary, response: { action: response.action, reasons: response.reasons } };
  if (response.action === "block") {
    ports.stream.withdraw();
    const error = errorMessage(command.replyId, `The answer was blocked. ${sentences(response.reasons)}`);
    return { status: "blocked", error, ...decided, degraded: [...degraded] };
  }
  ports.stream.finish(replyText(response.subject.reply));
  const reply: AssistantMessage = { messageId: command.replyId, role: "assistant", modelReply: response.subject.reply };
  return { status: "completed", reply, ...decided, degraded: [...degraded] };
}

function answer(
  command: TurnCommand,
  message: string,
  setup: TurnSetup,
  ports: TurnPorts,
  degraded: Set<string>,
): Promise<AgentOutcome> {
  const note = (names: readonly string[]): void => {
    for (const name of names) degraded.add(name);
  };
  if (setup.team !== undefined) {
    const { turnId, replyId } = command;
    const asked = {
      turnId,
      replyId,
      message,
      background: { ...setup, memory: setup.memory(), context: () => setup.context(message) },
    };
    return answerAsTeam(asked, setup.team, { ...ports, supervisors: setup.supervisors, degraded: note });
  }
  return runAgent(
    {
      models: setup.models,
      prompt: () =>
        buildPrompt({
          instructions: setup.instructions,
          ...setup.context(message),
          memory: setup.memory(),
          history: setup.history,
          message,
        }),
      tools: setup.tools,
      ...(setup.removedTool === undefined ? {} : { removedTool: setup.removedTool }),
      ...(setup.temperature === undefined ? {} : { temperature: setup.temperature }),
      limits: setup.limits,
      replyId: command.replyId,
    },
    {
      ...ports,
      journal: ports.journal.scope("agent"),
      guard: supervisingGuard(setup, ports, note),
      observer: {
        ...ports.observer,
        listen: () => ports.stream.listenToRound(),
        roundText: (_round, text) => ports.stream.roundComplete(text),
      },
    },
  );
}

function replyOf(outcome: AgentOutcome, acceptedAt: number): ModelReply {
  return {
    timestamp: new Date(acceptedAt).toISOString(),
    turns: [...outcome.turns],
    ...(outcome.metadata === undefined ? {} : { metadata: { ...outcome.metadata } }),
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
