/** What a turn came to, in the words that both of OpenAI's APIs share. */
import { openAsks } from "../application/openai/answer-in-chat.js";
import type { ChatPlace } from "../application/openai/chat-input.js";
import type { ChatOutcome } from "../application/openai/complete-chat.js";
import type { Ask } from "../asks/ask.js";
import type { Turn } from "../chat/session.js";
import { callerServer } from "../chat/turn-request.js";
import { replyText } from "../conversation/message.js";
import { OpenAiError } from "./errors.js";

export interface CallerCall {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

export type Answer = { readonly usage: Turn["usage"]; readonly sessionId?: string | undefined } & (
  | {
      readonly kind: "text";
      readonly text: string;
      readonly calls: readonly CallerCall[];
      readonly cut: "length" | "content_filter" | undefined;
    }
  /** A question: its text and its id, to be answered with the next message. */
  | { readonly kind: "asks"; readonly text: string }
  | { readonly kind: "refused"; readonly refusal: string }
);

/** Nothing that was sent can be taken back in these protocols. */
export const replaced = new OpenAiError(
  502,
  "answer_replaced",
  "What was sent of the answer doesn't hold: it was begun anew and came out differently. Send the request again.",
);

/** @throws {OpenAiError} where there is no answer. */
export function answerOf({ turn, place }: ChatOutcome): Answer {
  const { usage, reply, error } = turn;
  const about = { usage, sessionId: keptSession(place) };
  switch (turn.status) {
    case "completed": {
      const { turns = [], pendingToolCalls = [] } = reply?.modelReply ?? {};
      const calls = pendingToolCalls
        .filter(({ server }) => server === callerServer)
        .map(({ toolCallId, tool, args }) => ({ id: toolCallId, name: tool, arguments: JSON.stringify(args) }));
      const text = reply === undefined ? "" : replyText(reply.modelReply);
      return { ...about, kind: "text", text, calls, cut: turns.at(-1)?.cut };
    }
    case "blocked":
      return { ...about, kind: "refused", refusal: error?.content ?? "The answer was blocked." };
    case "waiting":
      // A person has the conversation: what is said of that is all there is to say.
      if (turn.waitsFor?.held !== undefined)
        return { ...about, kind: "text", text: turn.userMessage ?? "", calls: [], cut: undefined };
      return { ...about, kind: "asks", text: questionText(turn.asks) };
    case "failed":
      throw failureOf(error);
    case "cancelled":
      throw new OpenAiError(409, "cancelled", "The answer was cancelled.");
    case "queued":
    case "running":
      throw new OpenAiError(503, "unavailable", "The answer isn't there yet.");
  }
}

/** How an answer that failed looks to OpenAI's clients: they try again by themselves where that may help. */
export function failureOf(error: Turn["error"]): OpenAiError {
  const message = error?.content ?? "The answer failed.";
  switch (error?.code) {
    case "rate_limited":
    case "limit_reached":
      return new OpenAiError(429, "rate_limit_exceeded", message, null, error.retryAfterSeconds);
    case "context_length_exceeded":
      return new OpenAiError(400, error.code, message, "messages");
    case "budget_exceeded":
      return new OpenAiError(400, error.code, message);
    case "misconfigured":
    case "unpriced_model":
      return new OpenAiError(500, error.code, message);
    case undefined:
      return new OpenAiError(502, "model_unavailable", message);
  }
}

/** The session that a client may send its next message to; undefined where it is of one answer alone, stored or not. */
export function keptSession({ isStateless, asked, sessionId }: ChatPlace): string | undefined {
  return isStateless || asked !== undefined ? undefined : sessionId;
}

/** What is asked: the question that the next message answers. */
function questionText(asks: readonly Ask[]): string {
  const [first] = openAsks(asks);
  if (first === undefined) return "An answer is awaited from somebody else. Ask again later.";
  const { question, context, suggestions = [], askId, audience, kind } = first;
  return [
    question,
    ...(context === undefined ? [] : [context]),
    ...(suggestions.length === 0 ? [] : [`Suggestions: ${suggestions.join(", ")}.`]),
    ...(kind === "approval" && audience === "user" ? ["Answer once, session or deny."] : []),
    ...(kind === "review" && audience === "user" ? ["Answer accept or reject."] : []),
    ...(audience === "staff" ? ["Somebody of the staff decides on it; send anything to see whether they have."] : []),
    `[${askId}]`,
  ].join("\n");
}
