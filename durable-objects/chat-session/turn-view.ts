/** A turn as callers and its asks see it. */
import type { AskWork } from "../../src/asks/origin.js";
import { isFinal, type Turn } from "../../src/chat/session.js";
import { callsOf } from "../../src/chat/turn-calls.js";
import { messageText } from "../../src/conversation/message.js";
import { supervisionSummary } from "../../src/supervision/summary.js";
import type { Kit } from "../kit/kit.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";

/** A turn as a caller sees it: effective texts only. Why it failed is for operators: whoever shows it to others leaves that out. */
export function turnView(record: TurnRecord, store: ChatSessionStore, kit: Kit): Turn {
  const { outcome } = record;
  const message = store.messages.get(record.messageId);
  // Of its tool calls, and of a turn that ended before its time, only the passes tell what was decided.
  const passes = store.passes.ofTurn(record.turnId);
  const partial = record.status === "waiting" ? record.partial : undefined;
  const reply =
    partial === undefined
      ? outcome?.reply
      : { messageId: record.replyId, role: "assistant" as const, modelReply: partial };
  const open = kit.asks.ofWork(record.turnId);
  const calls =
    isFinal(record.status) && outcome?.reply === undefined
      ? callsOf(kit.events.stored(record.turnId, "tool.called", "tool.returned"))
      : [];
  const retryAt = isFinal(record.status) ? undefined : kit.attempts.retryAt(record.turnId);
  return {
    turnId: record.turnId,
    status: record.status,
    ...(message === undefined ? {} : { message }),
    ...(reply === undefined ? {} : { reply }),
    ...(outcome?.error === undefined ? {} : { error: outcome.error }),
    ...(outcome?.failure === undefined ? {} : { failure: outcome.failure }),
    ...(calls.length === 0 ? {} : { calls }),
    supervision: supervisionSummary(outcome, passes),
    asks: isFinal(record.status) ? open : open.filter((ask) => ask.status === "open"),
    usage: outcome?.usage ?? kit.works.usage(record.turnId),
    createdAt: new Date(record.acceptedAt).toISOString(),
    ...(record.endedAt === undefined ? {} : { endedAt: new Date(record.endedAt).toISOString() }),
    ...(retryAt === undefined ? {} : { retryAt: new Date(retryAt).toISOString() }),
  };
}

/** What asks of a turn say of where they come from. */
export function describeTurn(turnId: string, store: ChatSessionStore): AskWork {
  const { sessionId, definition } = store.session();
  const { agent, subject, externalId, metadata } = definition;
  const messageId = store.turns.get(turnId)?.messageId;
  const message = messageId === undefined ? undefined : store.messages.get(messageId);
  return { sessionId, turnId, agent, subject, externalId, metadata, message: message && messageText(message) };
}
