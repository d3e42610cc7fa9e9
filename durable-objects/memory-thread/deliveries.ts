/** What a thread sends out: jobs for the queue, and deletions for D1. */
import type { MemoryPlatform } from "../../src/application/memory/memory-platform.js";
import {
  isTopicOf,
  type ReadPayload,
  readPayload,
  type TopicOf,
  UnknownTopicError,
} from "../../src/catalogues/outbox.js";
import type { OutboxMessage } from "../kit/outbox-rows.js";

interface Thread {
  readonly tenantId: string;
  readonly memoryId: string;
  readonly threadId: string;
}
type Platform = Pick<MemoryPlatform, "sendJobs" | "eraseEntry" | "budgets" | "deliver">;

/** All or throws. */
export async function deliverFromThread(
  messages: readonly OutboxMessage[],
  thread: Thread,
  platform: Platform,
): Promise<void> {
  for (const [topic, ofTopic] of Map.groupBy(messages, (message) => message.topic)) {
    if (isTopicOf(topic, "budget")) {
      const settled = ofTopic.map(({ payload }) => readPayload(topic, payload));
      await platform.budgets.settle(thread.tenantId, settled);
      continue;
    }
    if (isTopicOf(topic, "d1")) {
      await platform.deliver({ tenantId: thread.tenantId, ownerId: thread.memoryId, messages: ofTopic });
      continue;
    }
    if (!isTopicOf(topic, "thread")) throw new UnknownTopicError(topic);
    const payloads = ofTopic.map(({ payload }) => payload);
    await handle(topic, payloads, thread, platform);
  }
}

function handle<Topic extends TopicOf<"thread">>(
  topic: Topic,
  payloads: readonly string[],
  thread: Thread,
  platform: Platform,
): Promise<void> {
  const read = payloads.map((payload) => readPayload(topic, payload));
  return handlers[topic](read, thread, platform);
}

const handlers: {
  readonly [Topic in TopicOf<"thread">]: (
    payloads: readonly ReadPayload<Topic>[],
    thread: Thread,
    platform: Platform,
  ) => Promise<void>;
} = {
  /** Jobs for the same thread that go out together are one job. */
  flush: async (ranges, { tenantId, memoryId, threadId }, platform) => {
    const fromSeq = Math.min(...ranges.map((range) => range.fromSeq));
    const toSeq = Math.max(...ranges.map((range) => range.toSeq));
    await platform.sendJobs([{ tenantId, memoryId, threadId, fromSeq, toSeq }]);
  },

  erase: async (entries, { tenantId, memoryId }, platform) => {
    for (const { entryId, deleted } of entries) await platform.eraseEntry({ tenantId, memoryId }, entryId, deleted);
  },
};
