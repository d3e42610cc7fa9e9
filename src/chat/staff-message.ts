/** Messages of the staff: replies that no agent wrote. */
import type { ActorRecord } from "../conversation/actor-record.js";
import type { AssistantMessage } from "../conversation/message.js";

/** What a person of the staff writes, in the shape of a reply. */
export function staffMessage(
  messageId: string,
  content: string,
  author: ActorRecord,
  createdAt: string,
): AssistantMessage {
  const turns = [{ turnId: `${messageId}.0`, message: content }];
  return { messageId, role: "assistant", author, modelReply: { timestamp: createdAt, turns }, createdAt };
}

/** Under the id that its turn has for a reply. */
export function withId(message: AssistantMessage, messageId: string): AssistantMessage {
  const { turns, ...reply } = message.modelReply;
  return {
    ...message,
    messageId,
    modelReply: { ...reply, turns: turns.map((turn) => ({ ...turn, turnId: `${messageId}.0` })) },
  };
}
