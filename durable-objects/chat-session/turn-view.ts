import type { Ask } from "../../src/asks/ask.js";
import { isFinal, type Turn } from "../../src/chat/session.js";
import type { AskBook } from "../kit/asks.js";
import type { ChatSessionStore, TurnRecord } from "./store.js";

/** A turn as a caller sees it: effective texts only. */
export function turnView(record: TurnRecord, store: ChatSessionStore, asks: AskBook): Turn {
  const { outcome } = record;
  const message = store.message(record.messageId);
  const passes = outcome === undefined ? store.passesOfTurn(record.turnId) : [];
  const summaryOf = (hook: "request" | "response") => {
    const state = passes.find((pass) => pass.hook === hook);
    return outcome?.[hook] ?? (state === undefined ? undefined : { action: state.decision, reasons: state.reasons });
  };
  const request = summaryOf("request");
  const response = summaryOf("response");
  const degraded = outcome?.degraded ?? [...new Set(passes.flatMap((pass) => pass.degraded))];
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
    usage: outcome?.usage ?? { inputTokens: 0, outputTokens: 0 },
    createdAt: new Date(record.acceptedAt).toISOString(),
    ...(record.endedAt === undefined ? {} : { endedAt: new Date(record.endedAt).toISOString() }),
  };
}
