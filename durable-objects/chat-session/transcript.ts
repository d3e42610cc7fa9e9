/**
 * What was said before a text that supervisors judge: effective texts, this turn's message too, once its verdict is in. Of the session it is
 * what the model reads; of what the caller sent along it is all.
 */
import { type HistoryMessage, shownHistory } from "../../src/agent/prompt.js";
import { asTranscript } from "../../src/chat/caller-input.js";
import { callerHistoryTokens } from "../../src/chat/caller-prompt.js";
import { conversationOf } from "../../src/chat/turn-request.js";
import { messageText } from "../../src/conversation/message.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";

export function transcriptOf(store: ChatSessionStore, { turnId, messageId, request }: TurnRecord): HistoryMessage[] {
  const message = store.messages.get(messageId);
  const current = message === undefined ? [] : [{ role: "user" as const, content: messageText(message) }];
  const isGiven = request !== undefined && conversationOf(request).length > 0;
  const kept = shownHistory(store.messages.history(turnId), isGiven ? callerHistoryTokens : undefined);
  return [...kept, ...(request === undefined ? [] : asTranscript(request)), ...current];
}
