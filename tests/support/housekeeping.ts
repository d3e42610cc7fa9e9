/** What the cron triggers run. */
import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/index.js";

/** All the housekeeping, as twice an hour. */
export async function runHousekeeping(): Promise<void> {
  await worker.scheduled(createScheduledController({ scheduledTime: new Date() }), env);
}

/** What is looked after each minute. */
export async function runEachMinute(): Promise<void> {
  await worker.scheduled(createScheduledController({ scheduledTime: new Date(), cron: "* * * * *" }), env);
}
