/**
 * A turn: a supervised exchange whose work is an agent or a team. A durable function: it is entered again after every
 * interruption and goes on at the first step that has no result. It decides; its ports store what it decides.
 */
import type { AgentOutcome, FailureCode } from "../agent/agent-spec.js";
import { contextFacts } from "../agent/call-context.js";
import { doneForUsers } from "../agent/effects.js";
import type { Fact } from "../agent/prompt.js";
import { defined } from "../conversation/defined.js";
import { type AssistantMessage, type ModelReply, type PlainMessage, replyText } from "../conversation/message.js";
import { clearedUser, factNames } from "../routing/prompt-context.js";
import { type CallerText, clearedText } from "../supervision/caller-text.js";
import { runExchange } from "../supervision/exchange.js";
import type { HookSummary } from "../supervision/summary.js";
import { clearedCallerInput, superviseCallerInput } from "./caller-input.js";
import { clearedRequest, textsOfMessage, textsOfWork, withoutTexts, withTexts } from "./caller-texts.js";
import { withinReplySize } from "./reply-size.js";
import { answerTurn } from "./turn-answer.js";
import type { TurnCommand, TurnPorts, TurnSetup } from "./turn-ports.js";

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
  let failed: FailedAnswer = { code: "model_failed" };
  const ignored: string[] = [];
  const judged =
    sent && (await superviseCallerInput(sent, command, setup.supervisors, ports, (names) => ignored.push(...names)));
  if (judged?.kind === "blocked") {
    const { reasons } = judged;
    const stub = withoutTexts(blockedStub(messageId, reasons), command);
    await ports.journal.commit("message", () => ports.messageDecided(stub, true));
    const error = errorMessage(replyId, `Your message was blocked. ${sentences(reasons)}`);
    return { status: "blocked", error, request: { action: "block", reasons: [...reasons] }, degraded: ignored };
  }
  const given = judged?.given;
  const content = given?.content ?? command.content;
  const texts = [...textsOfMessage(command), ...textsOfWork(factsOf(setup), sent)];
  const outcome = await runExchange<"request", "response", AgentOutcome["effects"]>(
    {
      request: {
        hook: "request",
        message: { messageId, role: "user", content },
        ...(texts.length === 0 ? {} : { beside: texts }),
      },
      supervisors: setup.supervisors,
      commit: {
        id: "message",
        onDone: ({ message, beside = [] }, { action, reasons }) => {
          const blocked = action === "block";
          ports.messageDecided(
            blocked ? withoutTexts(blockedStub(messageId, reasons), command) : withTexts(message, command, beside),
            blocked,
          );
        },
      },
      work: async ({ message, beside = [] }, noteDegraded) => {
        await setup.prepare?.(message.content);
        noteDegraded(ignored);
        const answered = await answerTurn(
          {
            ...command,
            content,
            given: given && clearedCallerInput(given, beside),
            request: sent && clearedRequest(sent, beside),
          },
          message.content,
          clearedSetup(setup, beside),
          ports,
          noteDegraded,
        );
        const { effects: report } = answered;
        if (answered.kind === "failed") {
          failed = answered;
          return { kind: "failed", detail: answered.detail, report };
        }
        const reply = replyOf(answered, command.acceptedAt);
        return { kind: "responded", response: { hook: "response", reply }, report };
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
    case "failed": {
      ports.stream.withdraw();
      const done = doneForUsers(outcome.report);
      // Sent again, it would be done again.
      const { why, again } = failureTexts[failed.code];
      const own = failed.userMessage;
      const error = {
        ...errorMessage(replyId, done === "" ? (own ?? again) : `${own ?? why}${done}`),
        ...codeOf(failed),
      };
      return { status, error, failure: outcome.detail, request, degraded };
    }
    case "blocked": {
      if (outcome.hook === "request") {
        const error = errorMessage(replyId, `Your message was blocked. ${sentences(request.reasons)}`);
        return { status, error, request, degraded };
      }
      const { response, report } = outcome;
      ports.stream.withdraw();
      const text = `The answer was blocked. ${sentences(response.reasons)}`.trim();
      const error = errorMessage(replyId, `${text}${doneForUsers(report)}`);
      return { status, error, request, response, degraded };
    }
  }
}

/** What the turn's prompts show of the end user and of the session's notes, in its team too. */
function factsOf({ facts = [], team, subject, metadata = {} }: TurnSetup): readonly Fact[] {
  return team === undefined ? facts : [...facts, ...contextFacts({ subject, metadata }, factNames(team))];
}

/** The setup with what supervision left of those facts. */
function clearedSetup(setup: TurnSetup, beside: readonly CallerText[]): TurnSetup {
  if (beside.length === 0) return setup;
  return {
    ...setup,
    facts: setup.facts?.map(({ name, value }) => ({ name, value: clearedText(beside, name, value) })),
    ...clearedUser(setup, beside),
  };
}

type FailedAnswer = Pick<Extract<AgentOutcome, { kind: "failed" }>, "code" | "retryAfterMs" | "userMessage">;

/** What programs read of a failure. That a model failed is what they take it for without a code. */
function codeOf({ code, retryAfterMs }: FailedAnswer): Pick<PlainMessage, "code" | "retryAfterSeconds"> {
  if (code === "model_failed") return {};
  return { code, ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }) };
}

/** What end users read of a failure. What a model, a tool or a worker said of it may hold anything, and isn't for them. */
const failureTexts: Readonly<Record<FailureCode, { readonly why: string; readonly again: string }>> = {
  model_failed: failureText("nobody could give one (model_failed).", "Send the message again later."),
  budget_exceeded: failureText("it took more than one answer may take (budget_exceeded).", "Ask for less at once."),
  rate_limited: failureText("too much is asked of the model just now (rate_limited).", "Send the message again later."),
  context_length_exceeded: failureText(
    "the conversation is longer than the model takes (context_length_exceeded).",
    "Begin a new one, or send less.",
  ),
  limit_reached: failureText(
    "a limit of what you can use is reached (limit_reached).",
    "Send the message again later.",
  ),
  unpriced_model: failureText("this assistant can't be used at the moment.", "Please try again later."),
};

function failureText(reason: string, advice: string) {
  const why = `The answer failed: ${reason}`;
  return { why, again: `${why} ${advice}` };
}

function replyOf(outcome: AgentOutcome, acceptedAt: number): ModelReply {
  const { turns, metadata } = outcome;
  return {
    timestamp: new Date(acceptedAt).toISOString(),
    turns: withinReplySize(turns),
    ...(outcome.kind === "answered" && outcome.pending !== undefined ? { pendingToolCalls: [...outcome.pending] } : {}),
    ...defined({ metadata: metadata && { ...metadata } }),
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
