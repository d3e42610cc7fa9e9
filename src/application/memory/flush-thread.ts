/** Do one bounded slice of the work that waits in a thread. */
import { ok, type Result } from "../../conversation/problem.js";
import type { SliceReport, ThreadGateway } from "../../gateways/thread-gateway.js";
import type { FlushJob } from "../../memory/memory.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";

/** All that this act needs of the services: their threads. */
export type FlushDelivery = Pick<ThreadGateway, "deliver">;

/** A job only says that there is something to do: repeated or out of order it does no harm. */
export async function flushThread(actor: Actor, job: FlushJob, threads: FlushDelivery): Promise<Result<SliceReport>> {
  const allowed = authorize(actor, "flushThread");
  if (!allowed.ok) return allowed;
  return ok(await threads.deliver(job));
}
