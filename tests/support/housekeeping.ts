/** The housekeeping, as the cron trigger runs it. */
import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/index.js";

export async function runHousekeeping(): Promise<void> {
  await worker.scheduled(createScheduledController({ scheduledTime: new Date() }), env);
}
