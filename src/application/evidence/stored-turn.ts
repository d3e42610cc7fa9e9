/** A turn of a session as it was when it began: what it is answered from when others are tried on it. */
import type { RecordedConversation } from "../../chat/conversation.js";
import { historyOf, historyRows } from "../../chat/history.js";
import type { Turn } from "../../chat/session.js";
import type { ChatMessage } from "../../conversation/message.js";
import { need, problem } from "../../conversation/problem.js";
import type { Stub } from "../../evidence/item.js";
import { readableText } from "../../supervision/subject.js";
import type { Services } from "../services.js";
import { originalOfTurn } from "../supervision/tried-text.js";
import { RecordedAnswers } from "./recorded-answers.js";
import type { TriedTurn } from "./try-turn.js";

/** Messages that are read at once. */
const atOnce = 100;

/** @throws {ProblemError} where the turn isn't there, isn't over, or its message was erased */
export async function storedTurn(
  tenantId: string,
  { sessionId, turnId }: { readonly sessionId: string; readonly turnId: string },
  stubs: readonly Stub[],
  services: Services,
): Promise<TriedTurn> {
  const { sessions } = services;
  const [turn, session, context, original] = await Promise.all([
    sessions.turn(tenantId, sessionId, turnId, 0).then(need),
    sessions.describe(tenantId, sessionId).then(need),
    sessions.context(tenantId, sessionId).then(need),
    originalOfTurn(tenantId, { sessionId, turnId, hook: "request" }, services),
  ]);
  const { createdAt, endedAt, reply } = turn;
  if (endedAt === undefined) throw problem("conflict", "The turn isn't over yet. Replay it when it is.");
  if (reply?.modelReply.pendingToolCalls !== undefined)
    throw problem("conflict", "Its caller sent tools along with the message, and those aren't kept.");
  const before = await saidBefore(tenantId, sessionId, turn, services);
  const held = context.history.find(({ at }) => at <= createdAt)?.context ?? context.context;
  const lastReply = before.find((message) => message.role === "assistant")?.modelReply.metadata;
  return {
    message: readableText(original.subject),
    history: historyOf(before),
    record: new RecordedAnswers([...callsOf(turn), ...stubs], turn.asks),
    session: { sessionId, definition: { ...session, context: held }, at: createdAt },
    lastReply,
  };
}

/** What tools and people answered in it, as supervision let it pass. */
function callsOf({ reply }: Turn): Stub[] {
  const made = (reply?.modelReply.turns ?? []).flatMap(({ toolCalls = [] }) => toolCalls);
  return made.map(({ server, tool, args, output, error }) => ({
    ...{ tool: `${server}/${tool}`, args, output, error },
  }));
}

/** The newest first: what its prompt could hold, but for what was erased since. */
async function saidBefore(
  tenantId: string,
  sessionId: string,
  { turnId, message }: Turn,
  { sessions }: Services,
): Promise<ChatMessage[]> {
  const before: ChatMessage[] = [];
  let wasSeen = false;
  let at: number | null = Number.MAX_SAFE_INTEGER;
  while (at !== null && before.length < historyRows) {
    const page: RecordedConversation = need(await sessions.conversation(tenantId, sessionId, at, atOnce));
    for (const said of page.items.toReversed()) {
      if (!wasSeen) wasSeen = said.message.messageId === message?.messageId;
      else if (said.turnId !== turnId && isHistory(said)) before.push(said.message);
    }
    at = page.earlier;
  }
  return before.slice(0, historyRows);
}

/** What was blocked, failed or erased is in no prompt. */
function isHistory({ message, passes }: { message: ChatMessage; passes: readonly { decision: string }[] }): boolean {
  if (message.role === "error" || message.erased === true) return false;
  return message.role !== "user" || passes.every(({ decision }) => decision !== "block");
}
