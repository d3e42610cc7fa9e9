/** The queue of flushes: one bounded slice for each thread of a batch; threads don't wait for one another. */

import type { ThreadGateway } from "../gateways/thread-gateway.js";
import { flushJobSchema } from "../memory/memory.js";
import { describeError, log } from "../platform/logging.js";

type Message = Pick<MessageBatch["messages"][number], "id" | "body" | "attempts" | "ack" | "retry">;

const firstRetrySeconds = 2;
const maxRetrySeconds = 600;

/** Handles a batch: the order and number of its messages make no difference, since each only says that there is something to do. */
export async function consumeFlushes(
  messages: readonly Message[],
  threads: Pick<ThreadGateway, "deliver">,
): Promise<void> {
  const groups = new Map<string, Message[]>();
  for (const message of messages) {
    const job = flushJobSchema.safeParse(message.body);
    if (!job.success) {
      log("error", "queue.malformed", { messageId: message.id });
      message.ack();
      continue;
    }
    const { tenantId, memoryId, threadId } = job.data;
    const name = `${tenantId}/${memoryId}/${threadId}`;
    groups.set(name, [...(groups.get(name) ?? []), message]);
  }
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const [first] = group;
      if (first === undefined) return;
      try {
        await threads.deliver(flushJobSchema.parse(first.body));
        for (const message of group) message.ack();
      } catch (error) {
        const { tenantId } = flushJobSchema.parse(first.body);
        log("warn", "queue.slice_failed", { tenantId, attempts: first.attempts, ...describeError(error) });
        // One stands for the group: the others would only come to the same end.
        const [kept, ...others] = [...group].sort((a, b) => b.attempts - a.attempts);
        kept?.retry({ delaySeconds: Math.min(maxRetrySeconds, firstRetrySeconds * 2 ** (kept.attempts - 1)) });
        for (const message of others) message.ack();
      }
    }),
  );
}
