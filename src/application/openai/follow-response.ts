/** Go on from a response: answer what it asks, or begin another one with the conversation that it ends. */
import { callerHistoryTokens } from "../../chat/caller-prompt.js";
import type { TurnRequest } from "../../chat/turn-request.js";
import { attempt, need, type ProblemError, problem } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";
import { answerOpenAsk, openAsks } from "./answer-in-chat.js";
import type { ChatInput, ChatPlace, KeptSessions } from "./chat-input.js";
import {
  bytesOf,
  conversationBefore,
  maxCarriedBytes,
  maxFollowed,
  newestWithin,
  resolveResults,
} from "./conversation-before.js";
import { claimAsk } from "./keyed-answer.js";
import { findResponse, isOfAnother, type StoredResponse } from "./read-response.js";

export type Followed =
  | { readonly kind: "answered"; readonly place: ChatPlace }
  | { readonly kind: "goes_on"; readonly input: ChatInput };

/** @param kept those of its own that a caller may go on from although they aren't stored */
export async function followResponse(
  actor: Actor,
  input: ChatInput & { readonly previousId: string },
  kept: KeptSessions | undefined,
  services: Services,
): Promise<Followed> {
  const { previousId, subject } = input;
  const read = await attempt(() => findResponse(actor, previousId, services));
  if (!read.ok && read.problem.code === "not_found") throw noPrevious(read.problem.detail);
  const found = need(read);
  const { ref, session, turn, request } = found;
  // An answer that is given again goes to the question that it was for.
  if (input.isRepeated === true) return answered(actor, found, input, services);
  const isOver = request.ownSession === "goes" && turn.status !== "waiting" && !kept?.has(ref.sessionId);
  if (isOver || isOfAnother(session, subject)) throw noPrevious(`There is no response "${previousId}" to go on from.`);
  switch (turn.status) {
    case "waiting":
      if (input.isAside === true) {
        const detail = "The previous response waits for an answer to its question. Go on from it when it has one.";
        throw problem("waiting_on_ask", detail, { errors: [{ path: previousPath, message: "it has a question" }] });
      }
      return answered(actor, found, input, services);
    case "queued":
    case "running":
      throw problem("conflict", "The previous response isn't complete yet. Go on from it when it is.", {
        errors: [{ path: previousPath, message: "it is in progress" }],
      });
    case "completed":
    case "blocked":
    case "failed":
    case "cancelled":
      return goOn(actor, found, input, services);
  }
}

/** The turn that asked goes on with the answer, under the same id. */
async function answered(actor: Actor, asked: StoredResponse, input: ChatInput, services: Services): Promise<Followed> {
  const { ref, turn, request } = asked;
  const place = { ...ref, isStateless: request.ownSession === "goes", createdAt: turn.createdAt, asked };
  const first = input.isRepeated === true ? input.askId : openAsks(turn.asks)[0]?.askId;
  const ask = first === undefined ? undefined : await services.asks.get(actor.tenantId, first);
  if (ask?.ok) {
    await claimAsk(actor, input, ask.value.askId, services);
    await answerOpenAsk(actor, ask.value, input.content, services);
  }
  return { kind: "answered", place };
}

async function goOn(actor: Actor, previous: StoredResponse, input: ChatInput, services: Services): Promise<Followed> {
  const { ref, session, request } = previous;
  if (request.ownSession === undefined) {
    const errors = [{ path: previousPath, message: `name the conversation ${ref.sessionId} in its place` }];
    throw problem("invalid", "The response is part of a conversation, which goes on from its end.", { errors });
  }
  if (input.isStored === true && request.ownSession === "goes") {
    const errors = [{ path: "store", message: "it can't follow one that isn't stored" }];
    throw problem("invalid", "The previous response isn't stored, and goes: what follows it can't be stored.", {
      errors,
    });
  }
  if (input.isWhole === true && (request.follows?.length ?? 0) >= maxFollowed) throw tooLong();
  const before = await conversationBefore(actor, previous, services);
  if (before === undefined) throw noPrevious("A part of what the response goes on from is gone.");
  const { messages, pending, follows } = before;
  const resolved = resolveResults({ content: input.content, results: input.request.results }, pending);
  if (resolved === undefined) {
    const errors = [{ path: "input", message: "a call_id is none of the previous response's" }];
    throw problem("invalid", "What came of a call has to name a call of the previous response.", { errors });
  }
  return {
    kind: "goes_on",
    input: {
      ...input,
      content: resolved.content,
      subject: input.subject ?? session.subject,
      request: { ...input.request, results: resolved.results, carried: [...messages], follows: [...follows] },
    },
  };
}

/** Messages that may be carried along. */
const maxCarried = 2_000;
/** The most that a turn's message may take with everything that comes along: a row of its session's tables, in bytes. */
const maxStoredBytes = 1_900_000;

/** The request with as much of the conversation before as a model is shown: the newest, or all of it, where it has to be whole. */
export function withinWindow({ content, request, isWhole }: ChatInput): TurnRequest {
  const { carried = [], history } = request;
  const left = maxCarriedBytes - history.reduce((sum, message) => sum + bytesOf(message), 0);
  const shown = newestWithin(carried, left).slice(-maxCarried);
  if (isWhole === true && (left < 0 || shown.length < carried.length)) throw tooLong();
  const fitting = carried.length === 0 ? request : { ...request, carried: shown };
  if (bytesOf(fitting) + bytesOf(content) <= maxStoredBytes) return fitting;
  throw problem("too_large", "The request is too large with its tools and what came of calls. Send less at once.");
}

const previousPath = "previous_response_id";

function tooLong(): ProblemError {
  const detail = `The conversation is longer than the ${callerHistoryTokens} tokens that a model is shown. Send \`truncation: "auto"\` to leave out its beginning, or compact it.`;
  return problem("invalid", detail, {
    errors: [{ path: "input", message: "it is too long, and may not be truncated" }],
  });
}

function noPrevious(detail: string): ProblemError {
  return problem("not_found", detail, { errors: [{ path: previousPath, message: "there is no such response" }] });
}
