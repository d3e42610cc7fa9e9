/** Threads of a memory: started, given messages, ended, read. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Invocation, NewMessage, Thread, ThreadSummary } from "../../memory/memory.js";
import { type Actor, ownKey } from "../../tenancy/actor.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { deleteOfMemory, findMemory, lookUpMemory } from "./find-memory.js";
import type { Started } from "./memory-service.js";
import { superviseMessages } from "./supervised-texts.js";
import { removeThread } from "./thread-removal.js";

export interface ThreadRef {
  readonly memoryId: string;
  readonly threadId: string;
}

/** Begins a session of a thread. Again changes nothing. */
export async function startThread(
  actor: Actor,
  { memoryId, threadId }: ThreadRef,
  services: Services,
): Promise<Result<Started>> {
  const memory = await findMemory(actor, "startThread", memoryId, services);
  if (!memory.ok) return memory;
  return ok(await services.memory.startSession(memory.value, threadId));
}

/** Gives a thread messages; they are stored when this returns. */
export async function recordMessages(
  actor: Actor,
  {
    memoryId,
    threadId,
    messages,
    idempotencyKey,
  }: ThreadRef & {
    readonly messages: readonly NewMessage[];
    /** Messages sent twice under one key are there once. */
    readonly idempotencyKey?: string | undefined;
  },
  services: Services,
): Promise<Result<Invocation>> {
  const memory = await findMemory(actor, "recordMessages", memoryId, services);
  if (!memory.ok) return memory;
  const written = await superviseMessages(memory.value, actor, messages, services);
  if (!written.ok) return written;
  return services.memory.processMessages(memory.value, threadId, written.value, {
    idempotencyKey: ownKey(actor, idempotencyKey),
    vouchedBy: recordOf(actor),
    request: messages,
  });
}

/** Ends a session of a thread: what the context doesn't cover yet is taken in. Again changes nothing. */
export async function endThread(
  actor: Actor,
  { memoryId, threadId }: ThreadRef,
  services: Services,
): Promise<Result<Invocation>> {
  const memory = await findMemory(actor, "endThread", memoryId, services);
  if (!memory.ok) return memory;
  return services.memory.endSession(memory.value, threadId);
}

/** @param ref `atSeq`: as the thread was after this message; without it, as it is now */
export async function readThread(
  actor: Actor,
  { memoryId, threadId, atSeq }: ThreadRef & { readonly atSeq?: number | undefined },
  services: Services,
): Promise<Result<Thread>> {
  const memory = await findMemory(actor, "readThread", memoryId, services);
  if (!memory.ok) return memory;
  return services.memory.thread(memory.value, threadId, atSeq);
}

/** The threads of a memory, by name. */
export async function listThreads(
  actor: Actor,
  { memoryId, ...page }: PageRequest & { readonly memoryId: string },
  services: Services,
): Promise<Result<Page<ThreadSummary>>> {
  const memory = await lookUpMemory(actor, "listThreads", memoryId, services);
  if (!memory.ok) return memory;
  const { memories } = services.near;
  return readPage(
    page,
    (after = "", limit) => memories.threadSummaries(memory.value, after, limit),
    ({ threadId }) => threadId,
  );
}

/** Deletes a thread with its messages and entries; what contexts say of them goes too. */
export async function deleteThread(
  actor: Actor,
  { memoryId, threadId }: ThreadRef,
  services: Services,
): Promise<Result<void>> {
  const memory = await findMemory(actor, "deleteThread", memoryId, services);
  if (!memory.ok) return memory;
  const deleted = { by: recordOf(actor), at: services.now() };
  return deleteOfMemory(memory.value, services, async () => {
    const wasThere = await removeThread(memory.value, threadId, services.memory.ports, deleted);
    return wasThere ? ok(undefined) : refuse("not_found", "There is no such thread in this memory.");
  });
}
