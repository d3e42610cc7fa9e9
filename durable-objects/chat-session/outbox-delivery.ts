/** Where a session's outbox goes: copies to D1, and what the session's memory records. */
import { z } from "zod";
import type { SessionMemory } from "../../src/application/memory/session-memory.js";
import type { SessionPlatform } from "../../src/application/root-platform.js";
import type { OutboxMessage } from "../kit/outbox.js";
import type { ChatSessionStore } from "./store.js";

const payloadSchema = z.object({
  messageId: z.string().optional(),
  /** Which edit of the message this tells of. */
  edit: z.int().optional(),
  at: z.number().default(0),
});

/** All or throws. */
export async function deliverOutbox(
  messages: readonly OutboxMessage[],
  store: ChatSessionStore,
  platform: Pick<SessionPlatform, "deliver" | "memory">,
): Promise<void> {
  const { tenantId, sessionId } = store.session();
  const copies = messages.filter(({ topic }) => topic !== "memory");
  const forMemory = messages.filter(({ topic }) => topic === "memory");
  if (copies.length > 0) await platform.deliver({ tenantId, ownerId: sessionId, messages: copies });
  await notifyMemory(forMemory, store, platform.memory);
}

/** Beginnings and messages, by id; the texts are read when they are delivered. In order; the memory knows each message by its id, so that again is harmless. */
async function notifyMemory(
  messages: readonly OutboxMessage[],
  store: ChatSessionStore,
  memory: SessionMemory,
): Promise<void> {
  for (const { payload } of messages) {
    const { tenantId, sessionId, definition } = store.session();
    if (definition.memory === undefined) return;
    const { memoryId, threadId = sessionId } = definition.memory;
    const link = { tenantId, memoryId, threadId };
    const { messageId, edit, at } = payloadSchema.parse(JSON.parse(payload));
    if (messageId === undefined) {
      await memory.start(link);
      continue;
    }
    const message = store.message(messageId);
    if (message?.erased) await memory.forget(link, messageId);
    else if (message !== undefined) await memory.record(link, message, at, edit);
  }
}
