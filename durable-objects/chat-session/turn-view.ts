/** A turn as callers see it. */
import type { Usage } from "../../src/agent/work.js";
import { isFinal, type SettledOutcome, type Turn } from "../../src/chat/session.js";
import { supervisionSummary } from "../../src/supervision/summary.js";
import type { AskBook } from "../kit/asks.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";

/** A turn as a caller sees it: effective texts only. */
export function turnView(record: TurnRecord, store: ChatSessionStore, asks: AskBook, usageSoFar: Usage): Turn {
  const { outcome } = record;
  const message = store.message(record.messageId);
  // Of its tool calls, and of a turn that ended before its time, only the passes tell what was decided.
  const passes = store.passesOfTurn(record.turnId);
  const open = asks.ofWork(record.turnId);
  const partial = record.status === "waiting" ? record.partial : undefined;
  const reply =
    partial === undefined
      ? outcome?.reply
      : { messageId: record.replyId, role: "assistant" as const, modelReply: partial };
  return {
    turnId: record.turnId,
    status: record.status,
    ...(message === undefined ? {} : { message }),
    ...(reply === undefined ? {} : { reply }),
    ...(outcome?.error === undefined ? {} : { error: outcome.error }),
    ...(outcome?.failure === undefined ? {} : { failure: outcome.failure }),
    supervision: supervisionSummary(outcome, passes),
    asks: isFinal(record.status) ? open : open.filter((ask) => ask.status === "open"),
    usage: outcome?.usage ?? usageSoFar,
    createdAt: new Date(record.acceptedAt).toISOString(),
    ...(record.endedAt === undefined ? {} : { endedAt: new Date(record.endedAt).toISOString() }),
  };
}

/** What comes of a turn that failed without anybody having foreseen it. @param failure why, for operators */
export function crashOutcome(turn: TurnRecord, failure?: string): SettledOutcome {
  const content = "The answer failed: an internal error, which has been logged. Send the message again.";
  const error = { messageId: turn.replyId, role: "error" as const, content };
  return { error, ...(failure === undefined ? {} : { failure }), degraded: [] };
}
