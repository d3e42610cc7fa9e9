/** The queue of flushes that were tried to the end: each is kept with the reason, to be listed and sent again. */
import { keepDeadLetter } from "../application/memory/handle-dead-letters.js";
import type { Services } from "../application/services.js";
import { flushJobSchema } from "../memory/memory.js";
import { describeError, log } from "../platform/logging.js";
import { systemActor } from "../tenancy/actor.js";

type Message = Pick<MessageBatch["messages"][number], "id" | "body" | "ack" | "retry">;

/** How long a message waits that could not be kept, in seconds. */
const retrySeconds = 60;

export async function consumeDeadLetters(messages: readonly Message[], services: Services): Promise<void> {
  for (const message of messages) {
    const job = flushJobSchema.safeParse(message.body);
    if (!job.success) {
      log("error", "queue.malformed", { messageId: message.id });
      message.ack();
      continue;
    }
    const { tenantId, threadId } = job.data;
    try {
      const kept = await keepDeadLetter(
        systemActor(tenantId, "queue"),
        { messageId: message.id, job: job.data },
        services,
      );
      if (kept.ok) log("error", "queue.dead_letter", { tenantId, threadId });
      else log("error", "queue.dead_letter_refused", { tenantId, code: kept.problem.code });
      message.ack();
    } catch (error) {
      log("error", "queue.dead_letter_failed", { tenantId, ...describeError(error) });
      message.retry({ delaySeconds: retrySeconds });
    }
  }
}
