import type { Usage } from "../../src/agent/usage.js";
import { type Ask, askShownTo } from "../../src/asks/ask.js";
import { isFinal, type SettledOutcome, type Turn } from "../../src/chat/session.js";
import type { AskBook } from "../kit/asks.js";
import type { ChatSessionStore, TurnRecord } from "./store.js";

/** A turn as a caller sees it: effective texts only. */
export function turnView(record: TurnRecord, store: ChatSessionStore, asks: AskBook, usageSoFar: Usage): Turn {
  const { outcome } = record;
  const message = store.message(record.messageId);
  // A turn that ended before its time, cancelled or by an internal error, has no summary of what was decided until then.
  const passes = outcome?.request === undefined ? store.passesOfTurn(record.turnId) : [];
  const summaryOf = (hook: "request" | "response") => {
    const state = passes.find((pass) => pass.hook === hook);
    return outcome?.[hook] ?? (state === undefined ? undefined : { action: state.decision, reasons: state.reasons });
  };
  const request = summaryOf("request");
  const response = summaryOf("response");
  const degraded = [...new Set([...(outcome?.degraded ?? []), ...passes.flatMap((pass) => pass.degraded)])];
  const open: Ask[] = asks.ofWork(record.turnId);
  return {
    turnId: record.turnId,
    status: record.status,
    ...(message === undefined ? {} : { message }),
    ...(outcome?.reply === undefined ? {} : { reply: outcome.reply }),
    ...(outcome?.error === undefined ? {} : { error: outcome.error }),
    supervision: {
      status: degraded.length > 0 ? "degraded" : "ok",
      ...(request === undefined ? {} : { request }),
      ...(response === undefined ? {} : { response }),
      degraded,
    },
    asks: isFinal(record.status) ? open : open.filter((ask) => ask.status === "open"),
    usage: outcome?.usage ?? usageSoFar,
    createdAt: new Date(record.acceptedAt).toISOString(),
    ...(record.endedAt === undefined ? {} : { endedAt: new Date(record.endedAt).toISOString() }),
  };
}

/** The ids that a stored event holds. */
export function idsIn(data: unknown): { turnId?: string; askId?: string; version?: number } {
  if (data === null || typeof data !== "object") return {};
  return {
    ...("turnId" in data && typeof data.turnId === "string" ? { turnId: data.turnId } : {}),
    ...("version" in data && typeof data.version === "number" ? { version: data.version } : {}),
    ...("askId" in data && typeof data.askId === "string" ? { askId: data.askId } : {}),
  };
}

/** What comes of a turn that failed without anybody having foreseen it. */
export function crashOutcome(turn: TurnRecord): SettledOutcome {
  const content = "The answer failed: an internal error, which has been logged. Send the message again.";
  return { error: { messageId: turn.replyId, role: "error", content }, degraded: [] };
}

/** Everybody reads events: who may answer reads what isn't cleared yet from the ask itself. */
export function askForAll(ask: Ask): Ask {
  const { proposal: _, ...shown } = askShownTo(ask, "client");
  return shown;
}
