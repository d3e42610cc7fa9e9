/** A turn as callers see it. */
import type { Usage } from "../../src/agent/work.js";
import { isFinal, type SettledOutcome, type Turn } from "../../src/chat/session.js";
import { supervisionSummary } from "../../src/supervision/summary.js";
import type { AskBook } from "../kit/asks.js";
import type { ChatSessionStore, TurnRecord } from "./store.js";

/** A turn as a caller sees it: effective texts only. */
export function turnView(record: TurnRecord, store: ChatSessionStore, asks: AskBook, usageSoFar: Usage): Turn {
  const { outcome } = record;
  const message = store.message(record.messageId);
  // A turn that ended before its time, cancelled or by an internal error, has no summary of what was decided until then.
  const passes = outcome?.request === undefined ? store.passesOfTurn(record.turnId) : [];
  const open = asks.ofWork(record.turnId);
  return {
    turnId: record.turnId,
    status: record.status,
    ...(message === undefined ? {} : { message }),
    ...(outcome?.reply === undefined ? {} : { reply: outcome.reply }),
    ...(outcome?.error === undefined ? {} : { error: outcome.error }),
    supervision: supervisionSummary(outcome, passes),
    asks: isFinal(record.status) ? open : open.filter((ask) => ask.status === "open"),
    usage: outcome?.usage ?? usageSoFar,
    createdAt: new Date(record.acceptedAt).toISOString(),
    ...(record.endedAt === undefined ? {} : { endedAt: new Date(record.endedAt).toISOString() }),
  };
}

/** What comes of a turn that failed without anybody having foreseen it. */
export function crashOutcome(turn: TurnRecord): SettledOutcome {
  const content = "The answer failed: an internal error, which has been logged. Send the message again.";
  return { error: { messageId: turn.replyId, role: "error", content }, degraded: [] };
}
