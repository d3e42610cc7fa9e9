/** What was said in a session before a turn, as its prompt shows it. */
import type { HistoryMessage } from "../agent/prompt.js";
import { defined } from "../conversation/defined.js";
import type { ChatMessage } from "../conversation/message.js";
import { historyText, isStaffs } from "./answered-questions.js";
import { newestRounds } from "./past-calls.js";

/** How many messages of the history are read at most; the prompt's token budget decides among them. */
export const historyRows = 60;

/** @returns oldest first */
export function historyOf(newestFirst: readonly ChatMessage[]): HistoryMessage[] {
  const rounds = newestRounds(newestFirst);
  return newestFirst
    .map((message, index): HistoryMessage => {
      const calls = rounds[index];
      return {
        role: message.role === "assistant" && !isStaffs(message) ? "assistant" : "user",
        content: historyText(message),
        ...defined({ rounds: calls }),
      };
    })
    .reverse();
}
