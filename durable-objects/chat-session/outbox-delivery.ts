/** Where a session's outbox goes: copies to D1, and what the session's memory records. */
import type { SessionMemory } from "../../src/application/memory/session-memory.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { isTopicOf, type ReadPayload, readPayload, type TopicOf } from "../../src/catalogues/outbox.js";
import type { OutboxMessage } from "../kit/outbox.js";
import type { ChatSessionStore } from "./store.js";

/** All or throws. */
export async function deliverOutbox(
  messages: readonly OutboxMessage[],
  store: ChatSessionStore,
  platform: Pick<RootPlatform, "deliver" | "memory">,
): Promise<void> {
  const { tenantId, sessionId } = store.session();
  // What is no copy for D1 either is refused there.
  const copies = messages.filter(({ topic }) => !isTopicOf(topic, "session"));
  if (copies.length > 0) await platform.deliver({ tenantId, ownerId: sessionId, messages: copies });
  for (const { topic, payload } of messages) {
    if (isTopicOf(topic, "session")) await handlers[topic](readPayload(topic, payload), store, platform.memory);
  }
}

const handlers: {
  readonly [Topic in TopicOf<"session">]: (
    payload: ReadPayload<Topic>,
    store: ChatSessionStore,
    memory: SessionMemory,
  ) => Promise<void>;
} = { memory: notifyMemory };

/** Beginnings and messages, by id; the texts are read when they are delivered. In order; the memory knows each message by its id, so that again is harmless. */
async function notifyMemory(
  { messageId, edit, at }: ReadPayload<"memory">,
  store: ChatSessionStore,
  memory: SessionMemory,
): Promise<void> {
  const { tenantId, sessionId, definition } = store.session();
  if (definition.memory === undefined) return;
  const { memoryId, threadId = sessionId } = definition.memory;
  const link = { tenantId, memoryId, threadId };
  if (messageId === undefined) {
    await memory.start(link);
    return;
  }
  const message = store.message(messageId);
  if (message?.erased) await memory.forget(link, messageId);
  else if (message !== undefined) await memory.record(link, message, at, edit);
}
