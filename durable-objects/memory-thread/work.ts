/** The work of a thread: one bounded slice at a time, each step idempotent and resumable. */
import { settleInOrder } from "../../src/agent/concurrency.js";
import { isControlFlow } from "../../src/agent/journal.js";
import { type Captured, captureEntry, type MemoryAgentPorts, uncalled } from "../../src/memory/capture.js";
import { type Flushed, flush } from "../../src/memory/flush.js";
import type { ThreadMessage } from "../../src/memory/memory.js";
import { type MemoryPrompts, windowMessages } from "../../src/memory/prompts.js";
import type { ModelPort } from "../../src/model/port.js";
import { withDeadline } from "../../src/platform/clock.js";
import type { MemoryPlatform } from "../../src/platform/memory/memory-platform.js";
import type { MemoryRef } from "../../src/platform/memory/memory-store.js";
import { validateArguments } from "../../src/platform/tool-builder.js";
import { forgetSteps, StepAbandonedError } from "../kit/journal.js";
import type { Kit } from "../kit/kit.js";
import type { FlushRecord, MemoryThreadStore } from "./store.js";

/** Messages that become entries in one slice, and how many of them at once. */
const sliceMessages = 8;
const parallelCaptures = 4;
/** Entries that are redone in one slice, and that one redone context takes in. */
const sliceRedos = 4;
const redoneEntries = 24;
/** Entries without a conversation that one flush takes in. */
const directEntries = 20;
/** How long nobody asks a model that didn't answer, in milliseconds. */
const modelRestMs = 60_000;
const maxRedoDelayMs = 6 * 3_600_000;

interface Slice {
  readonly memory: MemoryRef;
  readonly model: ModelPort;
  readonly prompts: MemoryPrompts;
  readonly withoutModel: string | undefined;
}

export interface WorkPorts {
  readonly storage: DurableObjectStorage;
  readonly store: MemoryThreadStore;
  readonly kit: Kit;
  readonly platform: MemoryPlatform;
  /** False once something was erased: what was begun before must not be stored. */
  readonly holds: () => boolean;
  readonly signal: AbortSignal;
}

/** Does one slice; false when there was nothing to do. The memory was deleted: `gone`. */
export async function doSlice(ports: WorkPorts): Promise<"worked" | "idle" | "gone"> {
  const { store, platform } = ports;
  const thread = store.thread();
  const now = platform.now();
  const next = store.openFlush();
  const mayFlush = next !== undefined && next.toSeq <= thread.indexedSeq;
  const pending = mayFlush ? [] : store.uncaptured(sliceMessages);
  const redoDue = thread.redoAt !== undefined && thread.redoAt <= now;
  if (!mayFlush && pending.length === 0 && !redoDue) return "idle";

  const memory = await platform.memories.find(thread.tenantId, thread.memoryId);
  if (memory === undefined) return "gone";
  const slice: Slice = {
    memory,
    model: await platform.model(thread.tenantId),
    prompts: await platform.prompts(thread.tenantId),
    withoutModel: thread.modelDownUntil > now ? "the model didn't answer shortly before" : undefined,
  };
  if (mayFlush) await doFlush(next, slice, ports);
  else if (pending.length > 0) await doCaptures(pending, slice, ports);
  else await doRedos(slice, ports);
  return "worked";
}

async function doCaptures(messages: readonly ThreadMessage[], slice: Slice, ports: WorkPorts): Promise<void> {
  const { store, platform } = ports;
  const context = (await platform.contexts.base(slice.memory)).document;
  const tasks = messages.map((message) => async () => {
    const captured = await guarded(ports, () =>
      runCapture(`entry/${message.seq}`, message, context, slice, ports, async (entry) => {
        const { entryId, role, speaker, content: rawEntry, occurredAt, seq } = message;
        const { threadId } = store.thread();
        await platform.entries.add(
          slice.memory,
          { entryId, threadId, role, speaker, rawEntry, occurredAt, ...entry },
          { seq },
        );
      }),
    );
    if (captured === undefined) return;
    ports.storage.transactionSync(() => {
      store.captured(message.seq, captured.degraded, [...captured.toolHistory]);
      forgetSteps(ports.storage.sql, `entry/${message.seq}`);
      noteModel(captured, ports);
    });
  });
  await settleInOrder(tasks, parallelCaptures);
}

function runCapture(
  work: string,
  message: ThreadMessage,
  context: string,
  slice: Slice,
  ports: WorkPorts,
  save: Parameters<typeof captureEntry>[1],
): Promise<Captured> {
  const { vaultId, memoryId, models } = slice.memory;
  const setup = {
    vaultId,
    memoryId,
    models,
    prompts: slice.prompts,
    context,
    window: ports.store.window(message.seq - 1, windowMessages),
    message,
    // Asked anew for each: the first one that fails in a slice speaks for the others.
    withoutModel: slice.withoutModel ?? restingModel(ports),
  };
  return captureEntry(
    setup,
    async (entry) => {
      if (ports.holds()) await save(entry);
    },
    agentPorts(work, slice, ports),
  );
}

async function doFlush(request: FlushRecord, slice: Slice, ports: WorkPorts): Promise<void> {
  const { store, storage } = ports;
  const { threadId } = store.thread();
  const { toSeq } = request;
  const flushed = await guarded(ports, () => runFlush(`flush/${toSeq}`, `${threadId}:${toSeq}`, request, slice, ports));
  if (flushed === undefined) return;
  storage.transactionSync(() => {
    store.flushDone(
      toSeq,
      flushed === "nothing" ? undefined : flushed.version,
      flushed === "nothing" ? [] : [...flushed.toolHistory],
    );
    forgetSteps(storage.sql, `flush/${toSeq}`);
    if (flushed === "nothing") return;
    const { degradedFrom } = store.thread();
    if (flushed.degraded) store.setDegradedFrom(Math.min(degradedFrom ?? request.fromSeq, request.fromSeq));
    noteModel(flushed, ports);
  });
}

/** Takes a stretch of the thread into the context; `nothing` when all of it was erased. */
async function runFlush(
  work: string,
  flushKey: string,
  range: { fromSeq: number; toSeq: number },
  slice: Slice,
  ports: WorkPorts,
): Promise<Flushed | "nothing"> {
  const { store, platform } = ports;
  const { memory, prompts } = slice;
  const { threadId } = store.thread();
  if (store.livingIn(range) === 0) return "nothing";
  return flush(
    {
      vaultId: memory.vaultId,
      memoryId: memory.memoryId,
      models: memory.models,
      prompts,
      toSeq: range.toSeq,
      withoutModel: slice.withoutModel,
    },
    {
      ...agentPorts(work, slice, ports),
      base: () => platform.contexts.base(memory),
      entries: async () => {
        const { version } = await platform.contexts.base(memory);
        const covered = (await platform.contexts.coverage(memory, version))[""] ?? 0;
        const [direct, said] = await Promise.all([
          platform.entries.ofThread(memory, "", covered + 1, covered + directEntries),
          platform.entries.ofThread(memory, threadId, range.fromSeq, range.toSeq),
        ]);
        const missing = store.livingIn(range) - said.entries.length;
        if (missing > 0) throw new NotConsistentYet(`${missing} entries up to message ${range.toSeq} aren't there yet`);
        return [...direct.entries, ...said.entries].map((entry) => ({
          entryId: entry.entryId,
          seq: entry.seq ?? 0,
          role: entry.role,
          ...(entry.speaker === undefined ? {} : { speaker: entry.speaker }),
          content: entry.rawEntry,
          summary: entry.summary,
          occurredAt: entry.occurredAt,
        }));
      },
      put: async ({ expected, document, source, sources }) => {
        const direct = await platform.entries.lastDirect(memory, sources);
        return platform.contexts.put(memory, {
          document,
          source,
          sources,
          flushKey,
          author: `thread ${threadId}`,
          expected: expected.version,
          erasures: expected.erasures,
          coverage: {
            [threadId]: Math.max(range.toSeq, store.thread().coveredSeq),
            ...(direct === 0 ? {} : { "": direct }),
          },
        });
      },
    },
  );
}

/** What was written without a model is written again, a little at a time. */
async function doRedos(slice: Slice, ports: WorkPorts): Promise<void> {
  const { store, storage, platform } = ports;
  const count = store.countRedo();
  const context = (await platform.contexts.base(slice.memory)).document;
  for (const message of store.degraded(sliceRedos)) {
    const work = `redo/${count}/${message.seq}`;
    const captured = await guarded(ports, () =>
      runCapture(work, message, context, slice, ports, async ({ summary, summarySource, tags }) => {
        const { tags: kept = {} } = (await platform.entries.get(slice.memory, message.entryId)) ?? {};
        // Tags that somebody set stay; an extract doesn't replace an extract.
        if (summarySource === "model") {
          await platform.entries.rewrite(slice.memory, message.entryId, {
            summary,
            summarySource,
            tags: { ...tags, ...kept },
          });
        }
      }),
    );
    if (captured === undefined) return;
    storage.transactionSync(() => {
      forgetSteps(storage.sql, work);
      if (!captured.degraded) store.captured(message.seq, false, [...captured.toolHistory]);
      noteModel(captured, ports);
    });
    if (captured.degraded) return postponeRedo(ports);
  }
  const { degradedFrom, coveredSeq, threadId } = store.thread();
  if (degradedFrom !== undefined && store.countDegraded() === 0) {
    const work = `redo/${count}/context`;
    const range = { fromSeq: Math.max(degradedFrom, coveredSeq - redoneEntries + 1), toSeq: coveredSeq };
    const flushed = await guarded(ports, () => runFlush(work, `${threadId}:redo:${count}`, range, slice, ports));
    if (flushed === undefined) return;
    storage.transactionSync(() => {
      forgetSteps(storage.sql, work);
      if (flushed === "nothing" || !flushed.degraded) store.setDegradedFrom(undefined);
    });
    if (flushed !== "nothing" && flushed.degraded) return postponeRedo(ports);
  }
  const left = store.countDegraded() > 0 || store.thread().degradedFrom !== undefined;
  setRedo(ports, { at: left ? platform.now() : undefined, delay: 0, modelDownUntil: 0 });
}

/** After a work without a model, one with it is due: soon, then ever later, for as long as the model is down. */
function noteModel(result: { degraded: boolean; failure?: string | undefined }, ports: WorkPorts): void {
  const { store, platform } = ports;
  const { redoAt, redoDelay } = store.thread();
  if (!result.degraded || redoAt !== undefined) return;
  setRedo(ports, {
    at: platform.now() + Math.max(modelRestMs, redoDelay),
    delay: Math.max(modelRestMs, redoDelay),
    modelDownUntil: result.failure === uncalled ? 0 : platform.now() + modelRestMs,
  });
}

function postponeRedo(ports: WorkPorts): void {
  const now = ports.platform.now();
  const delay = Math.min(maxRedoDelayMs, Math.max(modelRestMs, ports.store.thread().redoDelay * 2));
  setRedo(ports, { at: now + delay, delay, modelDownUntil: now + Math.min(delay, modelRestMs) });
}

function setRedo(ports: WorkPorts, redo: { at: number | undefined; delay: number; modelDownUntil: number }): void {
  ports.store.setRedo(redo);
  ports.kit.deadlines.move("redo", redo.at);
}

function restingModel({ store, platform }: WorkPorts): string | undefined {
  return store.thread().modelDownUntil > platform.now() ? "the model didn't answer shortly before" : undefined;
}

/** `undefined` when the work was superseded by an erasure: whatever is left of it begins anew. */
async function guarded<T>(ports: WorkPorts, work: () => Promise<T>): Promise<T | undefined> {
  try {
    const result = await work();
    return ports.holds() ? result : undefined;
  } catch (error) {
    if (isControlFlow(error) || !ports.holds()) return undefined;
    // A step that never ends is not tried for ever; sent again, the work begins without its journal.
    if (error instanceof StepAbandonedError) ports.storage.sql.exec("DELETE FROM journal");
    throw error;
  }
}

function agentPorts(work: string, { model }: Slice, ports: WorkPorts): MemoryAgentPorts {
  const { kit, platform, signal, holds } = ports;
  return {
    journal: kit.journal(work, holds),
    model,
    signal,
    now: platform.now,
    validateArguments,
    withDeadline: (timeoutMs, task) => withDeadline(timeoutMs, task, signal),
  };
}

class NotConsistentYet extends Error {
  override readonly name = "NotConsistentYet";
}
