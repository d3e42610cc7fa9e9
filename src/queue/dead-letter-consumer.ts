/** Flushes that were tried to the end: kept in D1 with the reason, to be listed and sent again. */

import type { ThreadGateway } from "../gateways/thread-gateway.js";
import { flushJobSchema } from "../memory/memory.js";
import { describeError, log } from "../platform/logging.js";
import type { DeadLetters } from "../stores/memory/dead-letters.js";

type Message = Pick<MessageBatch["messages"][number], "id" | "body" | "ack" | "retry">;

export async function consumeDeadLetters(
  messages: readonly Message[],
  deadLetters: DeadLetters,
  threads: Pick<ThreadGateway, "describe">,
): Promise<void> {
  for (const message of messages) {
    const job = flushJobSchema.safeParse(message.body);
    if (!job.success) {
      log("error", "queue.malformed", { messageId: message.id });
      message.ack();
      continue;
    }
    const { tenantId } = job.data;
    try {
      await deadLetters.keep(message.id, job.data, await reasonOf(job.data, threads));
      log("error", "queue.dead_letter", { tenantId, threadId: job.data.threadId });
      message.ack();
    } catch (error) {
      log("error", "queue.dead_letter_failed", { tenantId, ...describeError(error) });
      message.retry({ delaySeconds: 60 });
    }
  }
}

/** The thread knows why its last slice failed; when it can't even be asked, that is the reason. */
async function reasonOf(
  job: { tenantId: string; memoryId: string; threadId: string },
  threads: Pick<ThreadGateway, "describe">,
): Promise<string> {
  try {
    const thread = await threads.describe(job);
    if (!thread.ok) return "the thread is gone";
    return thread.value.failure ?? "the work was interrupted again and again";
  } catch {
    return "the thread's object could not be reached";
  }
}
