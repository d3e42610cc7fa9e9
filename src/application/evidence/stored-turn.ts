/** A turn of a session as it was when it began: what it is answered from when others are tried on it. */
import type { RecordedConversation } from "../../chat/conversation.js";
import { historyOf, historyRows } from "../../chat/history.js";
import type { Turn } from "../../chat/session.js";
import { callerServer, type TurnRequest } from "../../chat/turn-request.js";
import { defined } from "../../conversation/defined.js";
import type { ChatMessage, ToolCallRequest } from "../../conversation/message.js";
import { need, problem } from "../../conversation/problem.js";
import type { Stub } from "../../evidence/item.js";
import type { SentTurn } from "../../gateways/session-object.js";
import { readableText } from "../../supervision/subject.js";
import { isRecord, readJson } from "../../text/json.js";
import type { Services } from "../services.js";
import { originalOfTurn } from "../supervision/tried-text.js";
import { RecordedAnswers } from "./recorded-answers.js";
import type { TriedTurn } from "./try-turn.js";

/** Messages that are read at once. */
const atOnce = 100;
/** Turns of other sessions before one that its caller sent without a session: as many as its history shows. */
const mostFollowed = historyRows;

/** @throws {ProblemError} where the turn isn't there, isn't over, or its message was erased */
export async function storedTurn(
  tenantId: string,
  { sessionId, turnId }: { readonly sessionId: string; readonly turnId: string },
  stubs: readonly Stub[],
  services: Services,
): Promise<TriedTurn> {
  const { sessions } = services;
  const [recorded, session, context, original] = await Promise.all([
    sessions.recordedTurn(tenantId, sessionId, turnId).then(need),
    sessions.describe(tenantId, sessionId).then(need),
    sessions.context(tenantId, sessionId).then(need),
    originalOfTurn(tenantId, { sessionId, turnId, hook: "request" }, services),
  ]);
  const { turn, request, grounds, versions } = recorded;
  const { createdAt, endedAt, reply } = turn;
  if (endedAt === undefined) throw problem("conflict", "The turn isn't over yet. Replay it when it is.");
  const before = await saidBefore(tenantId, sessionId, turn, services);
  const held = context.history.find(({ at }) => at <= createdAt)?.context ?? context.context;
  const lastReply = before.find((message) => message.role === "assistant")?.modelReply.metadata;
  const made = [
    ...(reply?.modelReply.turns ?? []).flatMap(({ toolCalls = [] }) => toolCalls),
    ...(grounds?.calls ?? []),
  ];
  const handed = [
    ...(reply?.modelReply.pendingToolCalls ?? []).map(stubOf),
    ...(request?.results ?? []).map(givenStub),
  ];
  const { metadata = {}, supervisors = [], subject } = grounds ?? session;
  return {
    message: readableText(original.subject),
    history: historyOf(before),
    record: new RecordedAnswers([...made.map(stubOf), ...stubs], turn.asks),
    session: {
      sessionId,
      definition: { ...session, metadata, supervisors, subject, context: held },
      at: createdAt,
      versions: new Map(Object.entries(versions)),
      isAsItWas: grounds !== undefined,
    },
    lastReply,
    ...(request === undefined ? {} : { request: await withCarried(tenantId, request, services), handed }),
  };
}

/** What tools and people answered in it, as supervision let it pass. */
function stubOf({ server, tool, args, output, error }: ToolCallRequest & Pick<Stub, "output" | "error">): Stub {
  return { tool: `${server}/${tool}`, args, ...defined({ output, error }) };
}

function givenStub({ tool, args }: TurnRequest["results"][number]): Stub {
  const { value } = readJson(args);
  return { tool: `${callerServer}/${tool}`, ...(isRecord(value) ? { args: value } : {}) };
}

/** With the conversation before it, which the records of other sessions hold: as it stands there now. */
async function withCarried(tenantId: string, request: TurnRequest, { sessions }: Services): Promise<TurnRequest> {
  const { follows = [] } = request;
  if (follows.length === 0) return request;
  const { joined } = await import("../openai/conversation-before.js");
  const found: SentTurn[] = [];
  for (const { sessionId, turnId } of follows.slice(-mostFollowed)) {
    const sent = await sessions.turnAsSent(tenantId, sessionId, turnId);
    if (sent.ok) found.push(sent.value);
  }
  return { ...request, carried: [...joined(found).messages] };
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
