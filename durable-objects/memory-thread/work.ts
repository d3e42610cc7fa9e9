/** The work of a thread: one bounded slice at a time, each step idempotent and resumable. */
import { standaloneThread, type ThreadMessage } from "../../src/memory/memory.js";
import type { StepOutcome } from "../kit/driver.js";
import { captureMessages } from "./captures.js";
import { flush, NotYetConsistentError } from "./flushes.js";
import { modelCooldown, recordModelFailure } from "./model-cooldown.js";
import { runRebuild } from "./rebuilds.js";
import { runRewrites } from "./rewrites.js";
import type { FlushRecord, MemoryThreadStore } from "./store.js";
import { runSummaries, sliceSummaries } from "./summaries.js";
import type { Slice, WorkPorts } from "./work-ports.js";

/** Messages that become entries at once. */
const captureBatch = 8;
/** A slice goes on with further work for so long, in milliseconds. */
const sliceMs = 2_000;

/** What the tries of a thread's slices are counted under. */
export const sliceWork = "slice";
/** A slice that died so often is tried without a model: what a model made of the texts may be what it died of. */
const diesWithModel = 2;

type ThreadWork =
  | { readonly kind: "flush"; readonly flush: FlushRecord }
  | { readonly kind: "captures"; readonly messages: readonly ThreadMessage[] }
  | { readonly kind: "rebuild" }
  | { readonly kind: "summaries"; readonly entryIds: readonly string[] }
  | { readonly kind: "rewrites" };

/**
 * What a slice would do next: a flush whose messages are all entries, then messages, then what the context forgot, then summaries of
 * entries without a conversation, then what was written without a model.
 */
export function nextWork(store: MemoryThreadStore, now: number): ThreadWork | undefined {
  const { indexedSeq, rewriteAt, isRebuildDue } = store.thread();
  const open = store.openFlush();
  if (open !== undefined && open.toSeq <= indexedSeq) return { kind: "flush", flush: open };
  const messages = store.uncaptured(captureBatch);
  if (messages.length > 0) return { kind: "captures", messages };
  if (isRebuildDue) return { kind: "rebuild" };
  const entryIds = store.summaries.next(false, sliceSummaries);
  if (entryIds.length > 0) return { kind: "summaries", entryIds };
  return rewriteAt !== undefined && rewriteAt <= now ? { kind: "rewrites" } : undefined;
}

/** Does what there is to do, for a bounded time. `gone`: the memory was deleted. */
export async function runSlice(ports: WorkPorts): Promise<StepOutcome> {
  const { store, platform, lease } = ports;
  const until = platform.now() + sliceMs;
  const isStandalone = store.thread().threadId === standaloneThread;
  let work = nextWork(store, platform.now());
  if (work === undefined && !isStandalone) return "idle";
  do {
    const slice = await openSlice(ports);
    if (slice === undefined) return "gone";
    // Entries without a conversation have no capture that would fetch their vectors.
    const filled = isStandalone && (await platform.vectors.fill(slice.memory)) > 0;
    if (work !== undefined && !filled) await doWork(work, slice, ports);
    work = nextWork(store, platform.now());
  } while (work !== undefined && !lease.signal.aborted && platform.now() < until);
  return work === undefined ? "idle" : "yielded";
}

async function openSlice(ports: WorkPorts): Promise<Slice | undefined> {
  const { store, platform } = ports;
  const { tenantId, memoryId } = store.thread();
  const memory = await platform.memories.find(tenantId, memoryId);
  if (memory === undefined) return undefined;
  // What was begun before a deletion, here or in another thread, may have read what is deleted.
  if (store.knowErasures(memory.erasures)) store.forgetWork();
  return {
    memory,
    model: await platform.model(tenantId),
    prompts: await platform.prompts(tenantId),
    withoutModel:
      ports.kit.attempts.deaths(sliceWork) < diesWithModel
        ? modelCooldown(ports)
        : "the work was interrupted again and again",
  };
}

function doWork(work: ThreadWork, slice: Slice, ports: WorkPorts): Promise<void> {
  switch (work.kind) {
    case "flush":
      return flushOpen(work.flush, slice, ports);
    case "captures":
      return captureMessages(work.messages, slice, ports);
    case "rebuild":
      return runRebuild(slice, ports);
    case "summaries":
      return runSummaries(work.entryIds, slice, ports).then(() => undefined);
    case "rewrites":
      return runRewrites(slice, ports);
  }
}

async function flushOpen({ fromSeq, toSeq }: FlushRecord, slice: Slice, ports: WorkPorts): Promise<void> {
  const { store, kit } = ports;
  const { threadId } = store.thread();
  const work = `flush/${toSeq}`;
  const flushed = await flush({ work, flushKey: `${threadId}:${toSeq}`, fromSeq, toSeq }, slice, ports);
  if (flushed === undefined) return;
  kit.write(() => {
    kit.forgetSteps(work);
    if (flushed === "nothing") return store.flushDone(toSeq, undefined, []);
    store.flushDone(toSeq, flushed.version, [...flushed.toolHistory]);
    const { degradedFrom } = store.thread();
    if (flushed.degraded) store.setDegradedFrom(Math.min(degradedFrom ?? fromSeq, fromSeq));
    recordModelFailure(flushed, ports);
  });
}

/** What a tenant may read of a failure. */
export function failureText(error: unknown): string {
  return error instanceof NotYetConsistentError
    ? error.message
    : "the entries or the context could not be stored; the details are in the log";
}
