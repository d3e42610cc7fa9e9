/** Flushes that the queue gave up on: kept with the reason, listed, sent again. */
import { z } from "zod";
import { need } from "../../conversation/problem.js";
import { deadLetterSchema, type FlushJob } from "../../memory/memory.js";
import { act } from "../act.js";
import { listOf, pageInput, readPage } from "../page.js";
import type { Services } from "../services.js";
import { findMemory, memoryInput, memoryTag } from "./find-memory.js";

interface DeadJob {
  /** The queue's own id of the message that carried the job; kept twice, it is there once. */
  readonly messageId: string;
  readonly job: FlushJob;
}

export const keepDeadLetter = act("keepDeadLetter", {
  role: "system",
  run: async (_actor, { messageId, job }: DeadJob, services) =>
    services.memory.ports.deadLetters.keep(messageId, job, await reasonOf(job, services)),
});

export const listDeadLetters = act("listDeadLetters", {
  role: "operator",
  route: {
    method: "get",
    path: "/v1/memories/{memoryId}/dead-letters",
    tag: memoryTag,
    summary: "Work that could not be done, and why",
    answer: "A page of dead letters",
  },
  input: () => z.object({ ...memoryInput(), ...pageInput() }),
  output: () => listOf(deadLetterSchema),
  run: async (actor, { memoryId, ...page }, services) => {
    await findMemory(actor, { memoryId }, services);
    const { deadLetters } = services.memory.ports;
    const read = (after = "", limit: number) => deadLetters.list(actor.tenantId, memoryId, after, limit);
    return readPage(page, read, ({ deadLetterId }) => deadLetterId);
  },
});

export const retryDeadLetter = act("retryDeadLetter", {
  role: "operator",
  route: {
    method: "post",
    path: "/v1/memories/{memoryId}/dead-letters/{deadLetterId}/retry",
    tag: memoryTag,
    summary: "Send the work of a dead letter again",
    answer: "The dead letter",
  },
  input: () => z.object({ ...memoryInput(), deadLetterId: z.string().max(200) }),
  output: () => deadLetterSchema,
  run: async (actor, ref, services) =>
    need(await services.memory.retryDeadLetter(await findMemory(actor, ref, services), ref.deadLetterId)),
});

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
