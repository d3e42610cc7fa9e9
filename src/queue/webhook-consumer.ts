/** The queue of webhooks: each message says that something happened in a session or run. Those of a batch don't wait for one another. */

import type { Services } from "../application/services.js";
import { deliverWebhooks } from "../application/webhooks/deliver-webhooks.js";
import { webhookJobSchema } from "../catalogues/webhooks.js";
import { describeError, log } from "../platform/logging.js";
import { systemActor } from "../tenancy/actor.js";

type Message = Pick<MessageBatch["messages"][number], "id" | "body" | "attempts" | "ack" | "retry">;

/** How long a message waits that could not be handled, in seconds. */
const retrySeconds = 10;

export async function consumeWebhooks(messages: readonly Message[], services: Services): Promise<void> {
  await Promise.all(messages.map((message) => consume(message, services)));
}

async function consume(message: Message, services: Services): Promise<void> {
  const job = webhookJobSchema.safeParse(message.body);
  if (!job.success) {
    log("error", "queue.malformed", { messageId: message.id });
    return message.ack();
  }
  const { tenantId } = job.data;
  try {
    const later = await deliverWebhooks(systemActor(tenantId, "queue"), job.data, services);
    if (later.ok) await services.sendWebhookJobs(later.value);
    message.ack();
  } catch (error) {
    log("warn", "queue.webhook_failed", { tenantId, attempts: message.attempts, ...describeError(error) });
    message.retry({ delaySeconds: retrySeconds });
  }
}
