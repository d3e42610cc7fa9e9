/** Where a session's outbox goes: copies to D1, what the session's memory records, and what its chat shows. */
import { linksOf } from "../../src/application/memory/session-memory.js";
import type { RootPlatform } from "../../src/application/root-platform.js";
import { isTopicOf, type ReadPayload, readPayload, type TopicOf } from "../../src/catalogues/outbox.js";
import { type ConversationSignal, conversationIdentitySchema } from "../../src/gateways/channel-gateway.js";
import type { OutboxMessage } from "../kit/outbox-rows.js";
import type { ChatSessionStore } from "./store.js";

type DeliveryPlatform = Pick<RootPlatform, "deliver" | "memory" | "conversations">;

/** All or throws. */
export async function deliverOutbox(
  messages: readonly OutboxMessage[],
  store: ChatSessionStore,
  platform: DeliveryPlatform,
): Promise<void> {
  const { tenantId, sessionId } = store.session();
  // What is no copy for D1 either is refused there.
  const copies = withoutOutdated(messages.filter(({ topic }) => !isTopicOf(topic, "session")));
  if (copies.length > 0) await platform.deliver({ tenantId, ownerId: sessionId, messages: copies });
  for (const { topic, payload } of messages) {
    if (isTopicOf(topic, "session")) await handle(topic, payload, store, platform);
  }
}

function handle<Topic extends TopicOf<"session">>(
  topic: Topic,
  payload: string,
  store: ChatSessionStore,
  platform: DeliveryPlatform,
): Promise<void> {
  return handlers[topic](readPayload(topic, payload), store, platform);
}

/** Of several states of the session the last one is all that its copy needs. */
function withoutOutdated(messages: readonly OutboxMessage[]): OutboxMessage[] {
  const last = messages.findLast(({ topic }) => topic === "session");
  return messages.filter((message) => message.topic !== "session" || message === last);
}

const handlers: {
  readonly [Topic in TopicOf<"session">]: (
    payload: ReadPayload<Topic>,
    store: ChatSessionStore,
    platform: DeliveryPlatform,
  ) => Promise<void>;
} = { memory: notifyMemory, channel: notifyConversation };

/** What happened, by id: the conversation reads what holds when it gets there. It knows what it was told before. */
async function notifyConversation(
  change: ReadPayload<"channel">,
  store: ChatSessionStore,
  { conversations }: DeliveryPlatform,
): Promise<void> {
  const conversation = store.session().conversation;
  if (conversation === undefined) return;
  const identity = conversationIdentitySchema.parse(JSON.parse(conversation));
  const signal: ConversationSignal =
    "turnId" in change ? { kind: "turn", ...change } : { kind: "ask", ...change, relayed: false };
  await conversations.accept(identity, [signal], false);
}

/** Beginnings and messages, by id; the texts are read when they are delivered. In order; the memory knows each message by its id, so that again is harmless. */
async function notifyMemory(
  { messageId, edit, at }: ReadPayload<"memory">,
  store: ChatSessionStore,
  { memory }: DeliveryPlatform,
): Promise<void> {
  const [link] = linksOf(store.session());
  if (link === undefined) return;
  if (messageId === undefined) {
    await memory.start(link);
    return;
  }
  const message = store.messages.get(messageId);
  if (message?.erased) await memory.forget(link, messageId);
  else if (message !== undefined) await memory.record(link, message, at, edit);
}
