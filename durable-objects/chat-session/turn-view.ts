/** A turn as callers and its asks see it. */
import type { AskWork } from "../../src/asks/origin.js";
import { isFinal, type Turn } from "../../src/chat/session.js";
import { callsOf } from "../../src/chat/turn-calls.js";
import { type WaitsFor, waitingText, waitsFor } from "../../src/chat/waits-for.js";
import { defined } from "../../src/conversation/defined.js";
import { type AssistantMessage, messageText } from "../../src/conversation/message.js";
import { supervisionSummary } from "../../src/supervision/summary.js";
import type { Kit } from "../kit/kit.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";

/** A turn as a caller sees it: effective texts only. Why it failed is for operators: a view for others leaves that out. */
export function turnView(record: TurnRecord, store: ChatSessionStore, kit: Kit): Turn {
  const { outcome } = record;
  const message = store.messages.get(record.messageId);
  // Of its tool calls, and of a turn that ended before its time, only the passes tell what was decided.
  const passes = store.passes.ofTurn(record.turnId);
  const isHeld = store.session().hold !== undefined;
  const partial = record.status === "waiting" && !isHeld ? record.partial : undefined;
  const reply =
    partial === undefined
      ? (outcome?.reply ?? replyElsewhere(outcome?.answeredIn, store))
      : { messageId: record.replyId, role: "assistant" as const, modelReply: partial };
  const open = kit.asks.ofWork(record.turnId);
  const calls =
    isFinal(record.status) && (outcome?.reply === undefined || outcome.reply.author !== undefined)
      ? callsOf(kit.events.stored(record.turnId, "tool.called", "tool.returned"))
      : [];
  return {
    turnId: record.turnId,
    status: record.status,
    ...defined({ message, reply, error: outcome?.error, failure: outcome?.failure }),
    ...defined({ answeredIn: outcome?.answeredIn }),
    ...(calls.length === 0 ? {} : { calls }),
    supervision: supervisionSummary(outcome, passes),
    asks: isFinal(record.status) ? open : open.filter((ask) => ask.status === "open"),
    ...waitFields(record, store, kit),
    usage: outcome?.usage ?? kit.works.usage(record.turnId),
    createdAt: new Date(record.acceptedAt).toISOString(),
    ...(record.endedAt === undefined ? {} : { endedAt: new Date(record.endedAt).toISOString() }),
    ...(isFinal(record.status) ? {} : kit.attempts.retryField(record.turnId)),
  };
}

/** Of a message that was answered together with a later one: the reply to that, once it is there. */
function replyElsewhere(turnId: string | undefined, store: ChatSessionStore): AssistantMessage | undefined {
  return turnId === undefined ? undefined : store.turns.get(turnId)?.outcome?.reply;
}

/** What a turn waits for that nobody works on now; nothing where somebody does. */
export function turnWaitsFor(turnId: string, store: ChatSessionStore, kit: Kit): WaitsFor | undefined {
  const current = store.turns.current();
  const before = store.turns.before(turnId);
  const { hold } = store.session();
  if (hold !== undefined && current !== undefined) return waitsFor(kit.asks.openOfWork(turnId), undefined, hold.state);
  if (current === undefined || (before === undefined && current.turnId !== turnId)) return undefined;
  return waitsFor(kit.asks.openOfWork(current.turnId), before);
}

/** In the write that queues a turn, or changes what it waits for. Nothing of one that begins at once. */
export function recordQueued(turnId: string, store: ChatSessionStore, kit: Kit): void {
  const waited = turnWaitsFor(turnId, store, kit);
  if (waited?.turnId !== undefined || waited?.held !== undefined)
    kit.events.append("turn.queued", turnId, { turnId, waitsFor: waited });
}

function waitFields({ turnId, status }: TurnRecord, store: ChatSessionStore, kit: Kit): Partial<Turn> {
  // Of a conversation that a person has, one that runs is only judged, or about to wait.
  const waits = status === "queued" || status === "waiting" || store.session().hold !== undefined;
  if (!waits || isFinal(status)) return {};
  const waited = turnWaitsFor(turnId, store, kit);
  const isIdle =
    waited !== undefined && (waited.turnId !== undefined || waited.held !== undefined || waited.askIds.length > 0);
  return isIdle ? { waitsFor: waited, userMessage: waitingText(waited) } : {};
}

/** What asks of a turn say of where they come from; one for a person is of the session itself, and about what was written last. */
export function describeWork(work: string, store: ChatSessionStore): AskWork {
  const { sessionId, definition } = store.session();
  const { agent, subject, externalId, metadata } = definition;
  const turnId = work === sessionId ? undefined : work;
  const messageId = (turnId === undefined ? store.turns.last() : store.turns.get(turnId))?.messageId;
  const message = messageId === undefined ? undefined : store.messages.get(messageId);
  return { sessionId, turnId, agent, subject, externalId, metadata, message: message && messageText(message) };
}
