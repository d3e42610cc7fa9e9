/** What the queues deliver: each job goes to the consumer of its kind, whichever queue it came by. */
import { flushThread } from "../application/memory/flush-thread.js";
import { keepDeadLetter } from "../application/memory/handle-dead-letters.js";
import type { Services } from "../application/services.js";
import { queueJobSchema } from "../catalogues/queue-jobs.js";
import type { WebhookJob } from "../catalogues/webhooks.js";
import type { FlushJob } from "../memory/memory.js";
import { log } from "../platform/logging.js";
import { systemActor } from "../tenancy/actor.js";
import { consumeFlushes, type FlushPorts } from "./flush-consumer.js";
import type { JobMessage, Message } from "./job-message.js";
import { consumeWebhooks } from "./webhook-consumer.js";

/** Messages that aren't jobs are acknowledged and left out. */
export async function consumeJobs(messages: readonly Message[], services: Services): Promise<void> {
  const flushes: JobMessage<FlushJob>[] = [];
  const webhooks: JobMessage<WebhookJob>[] = [];
  for (const message of messages) {
    const { data: job } = queueJobSchema.safeParse(message.body);
    switch (job?.kind) {
      case "flush":
        flushes.push({ message, job });
        break;
      case "webhook":
        webhooks.push({ message, job });
        break;
      case undefined:
        log("error", "queue.malformed", { messageId: message.id });
        message.ack();
    }
  }
  const ports: FlushPorts = {
    flush: (job) => flushThread(systemActor(job.tenantId, "queue"), job, services),
    keepDead: (letter) => keepDeadLetter(systemActor(letter.job.tenantId, "queue"), letter, services),
  };
  await Promise.all([consumeFlushes(flushes, ports), consumeWebhooks(webhooks, services)]);
}
