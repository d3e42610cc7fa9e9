/** Jobs of webhooks: each says that something happened in a session or run. Those of a batch don't wait for one another. */

import type { Services } from "../application/services.js";
import { deliverWebhooks } from "../application/webhooks/deliver-webhooks.js";
import type { WebhookJob } from "../catalogues/webhooks.js";
import { describeError, log } from "../platform/logging.js";
import { systemActor } from "../tenancy/actor.js";
import type { JobMessage } from "./job-message.js";

/** How long a job waits that could not be done, in seconds; and how often it is tried. After that the schedule finds what is owed. */
const retrySeconds = 10;
const maxTries = 3;

export async function consumeWebhooks(jobs: readonly JobMessage<WebhookJob>[], services: Services): Promise<void> {
  await Promise.all(jobs.map((one) => consume(one, services)));
}

async function consume({ message, job }: JobMessage<WebhookJob>, services: Services): Promise<void> {
  const { tenantId } = job;
  const { attempts } = message;
  try {
    await services.sendWebhookJobs(await deliverWebhooks(systemActor(tenantId, "queue"), job, services));
    message.ack();
  } catch (error) {
    log("warn", "queue.webhook_failed", { tenantId, attempts, ...describeError(error) });
    if (attempts < maxTries) message.retry({ delaySeconds: retrySeconds });
    else message.ack();
  }
}
