/** What was said before a text that supervisors judge: effective texts, this turn's message too, once its verdict is in. */
import type { HistoryMessage } from "../../src/agent/prompt.js";
import { asTranscript } from "../../src/chat/given-conversation.js";
import { messageText } from "../../src/conversation/message.js";
import type { ChatSessionStore } from "./store.js";
import type { TurnRecord } from "./turn-rows.js";

export function transcriptOf(store: ChatSessionStore, { turnId, messageId, request }: TurnRecord): HistoryMessage[] {
  const message = store.messages.get(messageId);
  const current = message === undefined ? [] : [{ role: "user" as const, content: messageText(message) }];
  return [...store.messages.history(turnId), ...(request === undefined ? [] : asTranscript(request)), ...current];
}
