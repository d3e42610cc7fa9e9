/** Flushes that the queue gave up on: kept with the reason, listed, sent again. */
import { ok, type Result } from "../../conversation/problem.js";
import type { DeadLetter } from "../../memory/dead-letter.js";
import type { FlushJob } from "../../memory/memory.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { findMemory } from "./find-memory.js";

/** @param input `messageId`: the queue's own id of the message that carried the job; kept twice, it is there once */
export async function keepDeadLetter(
  actor: Actor,
  { messageId, job }: { readonly messageId: string; readonly job: FlushJob },
  services: Services,
): Promise<Result<void>> {
  const allowed = authorize(actor, "keepDeadLetter");
  if (!allowed.ok) return allowed;
  return ok(await services.memory.ports.deadLetters.keep(messageId, job, await reasonOf(job, services)));
}

export async function listDeadLetters(
  actor: Actor,
  query: PageRequest & { readonly memoryId: string },
  services: Services,
): Promise<Result<Page<DeadLetter>>> {
  const memory = await findMemory(actor, "listDeadLetters", query.memoryId, services);
  if (!memory.ok) return memory;
  const { deadLetters } = services.memory.ports;
  return readPage(
    query,
    (after = "", limit) => deadLetters.list(actor.tenantId, query.memoryId, after, limit),
    ({ deadLetterId }) => deadLetterId,
  );
}

export async function retryDeadLetter(
  actor: Actor,
  { memoryId, deadLetterId }: { readonly memoryId: string; readonly deadLetterId: string },
  services: Services,
): Promise<Result<DeadLetter>> {
  const memory = await findMemory(actor, "retryDeadLetter", memoryId, services);
  if (!memory.ok) return memory;
  return services.memory.retryDeadLetter(memory.value, deadLetterId);
}

/** The thread knows why its last slice failed; that it can't be reached is a reason as well. */
async function reasonOf(job: FlushJob, { memory }: Services): Promise<string> {
  try {
    const thread = await memory.ports.threads.describe(job);
    if (!thread.ok) return "the thread is gone";
    return thread.value.failure ?? "the work was interrupted again and again";
  } catch {
    return "the thread's object could not be reached";
  }
}
