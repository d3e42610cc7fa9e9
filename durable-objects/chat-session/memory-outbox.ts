/** What a session's outbox has for its memory: beginnings and messages, by id; the texts are read when they are delivered. */
import { z } from "zod";
import type { SessionMemory } from "../../src/platform/memory/session-memory.js";
import type { OutboxMessage } from "../kit/outbox.js";
import type { ChatSessionStore } from "./store.js";

const payloadSchema = z.object({ messageId: z.string().optional(), at: z.number().default(0) });

/** In order; all or throws. The memory knows each message by its id, so that again is harmless. */
export async function tellMemory(
  messages: readonly OutboxMessage[],
  store: ChatSessionStore,
  memory: SessionMemory,
): Promise<void> {
  for (const { payload } of messages) {
    const { tenantId, sessionId, definition } = store.session();
    if (definition.memory === undefined) return;
    const { memoryId, threadId = sessionId } = definition.memory;
    const link = { tenantId, memoryId, threadId };
    const { messageId, at } = payloadSchema.parse(JSON.parse(payload));
    if (messageId === undefined) {
      await memory.start(link);
      continue;
    }
    const message = store.message(messageId);
    if (message !== undefined) await memory.record(link, message, at);
  }
}
