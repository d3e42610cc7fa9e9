/** The work of a thread: one bounded slice at a time, each step idempotent and resumable. */
import { standaloneThread } from "../../src/memory/memory.js";
import { doCaptures } from "./captures.js";
import { doFlush } from "./flushes.js";
import { runRewrites } from "./rewrites.js";
import type { MemoryThreadStore } from "./store.js";
import type { Slice, WorkPorts } from "./work-ports.js";

/** Messages that become entries in one slice. */
const sliceMessages = 8;

/** Does one slice; false when there was nothing to do. The memory was deleted: `gone`. */
export async function doSlice(ports: WorkPorts): Promise<"worked" | "idle" | "gone"> {
  const { store, platform } = ports;
  const thread = store.thread();
  const now = platform.now();
  const next = store.openFlush();
  const mayFlush = next !== undefined && next.toSeq <= thread.indexedSeq;
  const pending = mayFlush ? [] : store.uncaptured(sliceMessages);
  const redoDue = thread.redoAt !== undefined && thread.redoAt <= now;
  // Entries without a conversation have no capture that would fetch their vectors.
  const isDirect = thread.threadId === standaloneThread;
  if (!isDirect && !mayFlush && pending.length === 0 && !redoDue) return "idle";

  const memory = await platform.memories.find(thread.tenantId, thread.memoryId);
  if (memory === undefined) return "gone";
  // What was begun before a deletion, here or in another thread, may have read what is deleted.
  if (store.knowErasures(memory.erasures)) store.forgetWork();
  const slice: Slice = {
    memory,
    model: await platform.model(thread.tenantId),
    prompts: await platform.prompts(thread.tenantId),
    withoutModel: thread.modelDownUntil > now ? "the model didn't answer shortly before" : undefined,
  };
  if (isDirect && (await platform.vectors.fill(memory)) > 0) return "worked";
  if (mayFlush) await doFlush(next, slice, ports);
  else if (pending.length > 0) await doCaptures(pending, slice, ports);
  else if (redoDue) await runRewrites(slice, ports);
  else return "idle";
  return "worked";
}

/** Whether a slice would find something to do. */
export function hasWork(store: MemoryThreadStore, now: number): boolean {
  const { indexedSeq, redoAt } = store.thread();
  const flush = store.openFlush();
  return (
    store.uncaptured(1).length > 0 ||
    (flush !== undefined && flush.toSeq <= indexedSeq) ||
    (redoAt !== undefined && redoAt <= now)
  );
}

/** What a tenant may read of a failure. */
export function failureText(error: unknown): string {
  if (error instanceof Error && error.name === "NotConsistentYet") return error.message;
  if (error instanceof Error && error.name === "StepAbandonedError") return error.message;
  return "the entries or the context could not be stored; the details are in the log";
}
