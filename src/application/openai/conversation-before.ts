/**
 * The conversation that a stored response ends, put together from the responses that it follows. Each holds its own part alone: what is
 * erased there is in no later prompt, and one that was deleted is left out.
 */
import { historyText } from "../../chat/answered-questions.js";
import { newestRounds } from "../../chat/past-calls.js";
import {
  callerServer,
  type GivenMessage,
  resultsText,
  type TurnRef,
  type TurnRequest,
} from "../../chat/turn-request.js";
import type { ToolCallRequest } from "../../conversation/message.js";
import type { SentTurn } from "../../gateways/session-gateway.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";
import type { StoredResponse } from "./read-response.js";

/** So many responses are followed back at most. */
export const maxFollowed = 200;

export interface ConversationBefore {
  readonly messages: readonly GivenMessage[];
  /** Calls of the last reply that the caller was handed. */
  readonly pending: readonly ToolCallRequest[];
  /** The turns that it was read from, the oldest first. */
  readonly follows: readonly TurnRef[];
}

/** Nothing where a part of what isn't stored has gone by now. */
export async function conversationBefore(
  actor: Actor,
  { ref, turn, request }: StoredResponse,
  services: Services,
): Promise<ConversationBefore | undefined> {
  const earlier = await Promise.all(
    (request.follows ?? []).map(({ sessionId, turnId }) =>
      services.sessions.turnAsSent(actor.tenantId, sessionId, turnId),
    ),
  );
  const turns: SentTurn[] = [...earlier.flatMap((one) => (one.ok ? [one.value] : [])), { turn, request }];
  // What isn't stored goes, and no part of it by a wish of its caller.
  if (request.ownSession === "goes" && earlier.some((one) => !one.ok)) return undefined;
  return { ...joined(turns), follows: [...(request.follows ?? []), ref].slice(-maxFollowed) };
}

/** What was said in turns that follow each other: effective texts, and what their callers sent along, which is judged anew. */
export function joined(turns: readonly SentTurn[]): Pick<ConversationBefore, "messages" | "pending"> {
  const messages: GivenMessage[] = [];
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
      messages.push({ role: "assistant", content: said, ...(given === undefined ? {} : { rounds: given }) });
    }
    pending = (reply.modelReply.pendingToolCalls ?? []).filter(({ server }) => server === callerServer);
  }
  return { messages, pending };
}

type Calls = NonNullable<GivenMessage["rounds"]>[number]["calls"];

/** Calls belong to the reply that made them. */
function addCalls(messages: GivenMessage[], calls: Calls): void {
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

/** Characters of what a message says, its calls included. */
export function lengthOf({ content, rounds = [] }: GivenMessage): number {
  const calls = rounds.flatMap((round) => round.calls);
  return content.length + calls.reduce((sum, { args, result }) => sum + args.length + result.length, 0);
}

/** The newest messages that fit a length. */
export function newestWithin(messages: readonly GivenMessage[], characters: number): GivenMessage[] {
  let left = characters;
  const first = messages.findLastIndex((message) => {
    left -= lengthOf(message);
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
