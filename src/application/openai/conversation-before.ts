/**
 * The conversation that a stored response ends, put together from the responses that it follows. Each holds its own part alone: what is
 * erased there is in no later prompt, and one that was deleted is left out.
 */
import { historyText } from "../../chat/answered-questions.js";
import { callerHistoryTokens } from "../../chat/caller-prompt.js";
import { newestRounds } from "../../chat/past-calls.js";
import {
  type CallerMessage,
  callerServer,
  resultsText,
  type TurnRef,
  type TurnRequest,
} from "../../chat/turn-request.js";
import { defined } from "../../conversation/defined.js";
import type { ToolCallRequest } from "../../conversation/message.js";
import type { SentTurn } from "../../gateways/session-object.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";
import type { StoredResponse } from "./read-response.js";

/** So many responses are followed back at most, and so many of them are read at once. */
export const maxFollowed = 200;
const readAtOnce = 8;
/** The most of a conversation that is carried along: as much as a model is shown. */
export const maxCarriedBytes = callerHistoryTokens * 4;

export interface ConversationBefore {
  readonly messages: readonly CallerMessage[];
  /** Calls of the last reply that the caller was handed. */
  readonly pending: readonly ToolCallRequest[];
  /** The turns that it was read from, the oldest first. */
  readonly follows: readonly TurnRef[];
}

/** Nothing where a part of what isn't stored has gone by now. */
export async function conversationBefore(
  actor: Actor,
  { ref, whole: turn, request }: StoredResponse,
  services: Services,
): Promise<ConversationBefore | undefined> {
  const earlier: SentTurn[] = [];
  const follows = request.follows ?? [];
  let read = sizeOf({ turn, request });
  // The newest first, a few at a time: what no model is shown isn't read.
  for (let end = follows.length; end > 0 && read <= maxCarriedBytes; end -= readAtOnce) {
    const found = await Promise.all(
      follows
        .slice(Math.max(0, end - readAtOnce), end)
        .map(({ sessionId, turnId }) => services.sessions.turnAsSent(actor.tenantId, sessionId, turnId)),
    );
    // What isn't stored goes, and no part of it by a wish of its caller.
    if (request.ownSession === "goes" && found.some((one) => !one.ok)) return undefined;
    const sent = found.flatMap((one) => (one.ok ? [one.value] : []));
    read += sent.reduce((sum, one) => sum + sizeOf(one), 0);
    earlier.unshift(...sent);
  }
  return { ...joined([...earlier, { turn, request }]), follows: [...follows, ref].slice(-maxFollowed) };
}

function sizeOf(turn: SentTurn): number {
  return joined([turn]).messages.reduce((sum, message) => sum + bytesOf(message), 0);
}

/** What was said in turns that follow each other: effective texts, and what their callers sent along, which is judged anew. */
export function joined(turns: readonly SentTurn[]): Pick<ConversationBefore, "messages" | "pending"> {
  const messages: CallerMessage[] = [];
  let pending: readonly ToolCallRequest[] = [];
  for (const { turn, request } of turns) {
    messages.push(...(request?.history ?? []));
    const results = request?.results ?? [];
    const answered = results.map(({ toolCallId, tool, args, output }) => {
      const call = pending.find((one) => one.toolCallId === toolCallId);
      const made = call === undefined ? { tool, args } : { tool: call.tool, args: JSON.stringify(call.args) };
      return { ref: { server: callerServer, tool: made.tool }, args: made.args, result: output };
    });
    pending = [];
    const { message, reply } = turn;
    const isBlocked = turn.supervision.request?.action === "block";
    const words = isBlocked || message?.role !== "user" || message.erased ? "" : message.content;
    const isResults = results.length > 0 && words === resultsText(results);
    // Where supervisors changed the message, which may be what came of the calls, their text alone is told.
    const isChanged = turn.supervision.request?.action === "modify";
    if (answered.length > 0 && !isBlocked && !isChanged) addCalls(messages, answered);
    if (words !== "" && !isResults) messages.push({ role: "user", content: words });
    if (turn.status !== "completed" || reply === undefined || reply.erased) continue;
    const [rounds] = newestRounds([reply]);
    const said = historyText(reply);
    const given = rounds?.map((round) => ({ message: round.message, calls: [...round.calls] }));
    if (said !== "" || given !== undefined) {
      messages.push({ role: "assistant", content: said, ...defined({ rounds: given }) });
    }
    pending = (reply.modelReply.pendingToolCalls ?? []).filter(({ server }) => server === callerServer);
  }
  return { messages, pending };
}

type Calls = NonNullable<CallerMessage["rounds"]>[number]["calls"];

/** Calls belong to the reply that made them. */
function addCalls(messages: CallerMessage[], calls: Calls): void {
  const last = messages.at(-1);
  if (last?.role !== "assistant") {
    messages.push({ role: "assistant", content: "", rounds: [{ message: "", calls }] });
    return;
  }
  const rounds = last.rounds ?? [{ message: last.content, calls: [] }];
  const [final = { message: "", calls: [] }] = rounds.slice(-1);
  messages[messages.length - 1] = {
    ...last,
    rounds: [...rounds.slice(0, -1), { ...final, calls: [...final.calls, ...calls] }],
  };
}

/** What a value takes where it is stored. */
export function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** The newest messages that fit. */
export function newestWithin(messages: readonly CallerMessage[], bytes: number): CallerMessage[] {
  let left = bytes;
  const first = messages.findLastIndex((message) => {
    left -= bytesOf(message);
    return left < 0;
  });
  return messages.slice(first + 1);
}

/**
 * What came of calls, and the message, where that is all it brings, with the calls that were handed over; undefined where one of them isn't
 * among those.
 */
export function resolveResults(
  { content, results }: { readonly content: string; readonly results: TurnRequest["results"] },
  pending: readonly ToolCallRequest[],
): { readonly content: string; readonly results: TurnRequest["results"] } | undefined {
  const resolved = results.flatMap((result) => {
    const call = pending.find(({ toolCallId, server }) => toolCallId === result.toolCallId && server === callerServer);
    if (call !== undefined) return [{ ...result, tool: call.tool, args: JSON.stringify(call.args) }];
    return result.tool === "" ? [] : [result];
  });
  if (resolved.length < results.length) return undefined;
  return { results: resolved, content: content === resultsText(results) ? resultsText(resolved) : content };
}
