/** What a slice of a thread's work does: each part of it idempotent and resumable. */
import { captureMessages } from "./captures.js";
import { flushOpen, NotYetConsistentError } from "./flushes.js";
import { modelCooldown } from "./model-cooldown.js";
import { runRebuild } from "./rebuilds.js";
import { runRewrites } from "./rewrites.js";
import type { MemoryThreadStore } from "./store.js";
import { runSummaries, sliceSummaries } from "./summaries.js";
import type { Slice, WorkPorts } from "./work-ports.js";

/** Messages that become entries at once. */
const captureBatch = 8;

/** What the tries of a thread's slices are counted under. */
export const sliceWork = "slice";
/** A slice that died so often is tried without a model: what a model made of the texts may be what it died of. */
const diesWithModel = 2;

type ThreadWork = (slice: Slice, ports: WorkPorts) => Promise<unknown>;

/**
 * What a slice would do next: a flush whose messages are all entries, then messages, then what the context forgot, then summaries of
 * entries without a conversation, then what was written without a model.
 */
export function nextWork(store: MemoryThreadStore, now: number): ThreadWork | undefined {
  const { indexedSeq, rewriteAt, isRebuildDue } = store.thread();
  const open = store.openFlush();
  if (open !== undefined && open.toSeq <= indexedSeq) return (slice, ports) => flushOpen(open, slice, ports);
  const messages = store.uncaptured(captureBatch);
  if (messages.length > 0) return (slice, ports) => captureMessages(messages, slice, ports);
  if (isRebuildDue) return runRebuild;
  const entryIds = store.summaries.next(false, sliceSummaries);
  if (entryIds.length > 0) return (slice, ports) => runSummaries(entryIds, slice, ports);
  return rewriteAt !== undefined && rewriteAt <= now ? runRewrites : undefined;
}

/** @returns nothing where the memory was deleted */
export async function openSlice(ports: WorkPorts): Promise<Slice | undefined> {
  const { store, platform } = ports;
  const { tenantId, memoryId } = store.thread();
  const memory = await platform.memories.find(tenantId, memoryId);
  if (memory === undefined) return undefined;
  // What was begun before a deletion, here or in another thread, may have read what is deleted.
  if (store.knowErasures(memory.erasures)) {
    store.forgetWork();
    ports.kit.freeSpace.overwriteSoon();
  }
  return {
    memory,
    model: await platform.model(tenantId),
    limits: await platform.limitsOfWork({ tenantId, subject: memory.subject }),
    prompts: await platform.prompts(tenantId),
    withoutModel:
      ports.kit.attempts.deaths(sliceWork) < diesWithModel
        ? modelCooldown(ports)
        : "the work was interrupted again and again",
  };
}

/** What a tenant may read of a failure. */
export function failureText(error: unknown): string {
  return error instanceof NotYetConsistentError
    ? error.message
    : "the entries or the context could not be stored; the details are in the log";
}
