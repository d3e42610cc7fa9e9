/** What the queues deliver: each job goes to the consumer of its kind, whichever queue it came by. */

import { servicesOf } from "../application/home.js";
import { flushThread } from "../application/memory/flush-thread.js";
import { keepDeadLetter } from "../application/memory/handle-dead-letters.js";
import type { Services } from "../application/services.js";
import { retain } from "../application/system/apply-retention.js";
import { queueJobSchema, type RetentionJob } from "../catalogues/queue-jobs.js";
import type { WebhookJob } from "../catalogues/webhooks.js";
import type { FlushJob } from "../memory/memory.js";
import { describeError, log } from "../platform/logging.js";
import { systemActor } from "../tenancy/actor.js";
import { consumeFlushes, type FlushPorts } from "./flush-consumer.js";
import type { JobMessage, Message } from "./job-message.js";
import { consumeWebhooks } from "./webhook-consumer.js";

/** Messages that aren't jobs are acknowledged and left out. */
export async function consumeJobs(messages: readonly Message[], services: Services): Promise<void> {
  const flushes: JobMessage<FlushJob>[] = [];
  const webhooks: JobMessage<WebhookJob>[] = [];
  const retentions: JobMessage<RetentionJob>[] = [];
  for (const message of messages) {
    const { data: job } = queueJobSchema.safeParse(message.body);
    switch (job?.kind) {
      case "flush":
        flushes.push({ message, job });
        break;
      case "webhook":
        webhooks.push({ message, job });
        break;
      case "retention":
        retentions.push({ message, job });
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
  await Promise.all([
    consumeFlushes(flushes, ports),
    consumeWebhooks(webhooks, services),
    ...retentions.map((one) => consumeRetention(one, services)),
  ]);
}

/** One that fails has its turn the next half hour. */
async function consumeRetention({ message, job }: JobMessage<RetentionJob>, services: Services): Promise<void> {
  try {
    await retain(job, servicesOf(job.tenantId, services));
  } catch (error) {
    log("warn", "retention.failed", { tenantId: job.tenantId, ...describeError(error) });
  }
  message.ack();
}
