/** Entries are taken into the context: one flush at a time, in order. */

import { ownValue } from "../../src/conversation/own-value.js";
import { type Forgotten, takenIn } from "../../src/memory/context-items.js";
import type { FlushRange } from "../../src/memory/control.js";
import type { Entry } from "../../src/memory/entry.js";
import { type ContextPut, type FlushResult, writeContext } from "../../src/memory/flush.js";
import { standaloneThread } from "../../src/memory/memory.js";
import { windowMessages } from "../../src/memory/prompts.js";
import { recordModelFailure } from "./model-cooldown.js";
import type { FlushRecord } from "./store.js";
import { synthesisEntries } from "./synthesis-entries.js";
import { agentPorts, doPart, type Slice, type WorkPorts } from "./work-ports.js";

/** Entries without a conversation that one flush takes in. */
const standaloneEntries = 20;
/** Messages that one flush takes in, when an old version was restored that doesn't cover them. */
const reachBackMessages = 60;

/** Messages from before that one synthesis is shown, at most. */
const earlierEntries = 24;

interface FlushName {
  /** Its steps are kept under this id. */
  readonly work: string;
  /** The same flush finds by it what it put before. */
  readonly flushKey: string;
}

/** A part of the thread that is taken into the context. */
interface RangeRequest extends FlushName, FlushRange {
  /** Whether the part was taken in before, without a model. */
  readonly again?: boolean;
}

/** Entries, of whatever thread, that are taken in once more. */
interface EntriesRequest extends FlushName {
  readonly entryIds: readonly string[];
  /** What the context had forgotten when these were chosen, and has forgotten still when they are taken in. */
  readonly forgotten: Forgotten;
  readonly left: Forgotten;
}

export type FlushRequest = RangeRequest | EntriesRequest;

/** What is taken in, and what of it is stored with the version. */
interface Material {
  readonly toSeq: number;
  readonly entries: () => Promise<readonly Entry[]>;
  readonly coverage: (sources: readonly string[]) => Promise<Record<string, number>>;
  readonly forgotten: (put: ContextPut) => Promise<Forgotten>;
}

/** @param result nothing where all of the part was erased */
type StoreFlush = (result: FlushResult | undefined) => void;

/**
 * Writes a version of the context with what is asked for taken in.
 * @param store what the thread keeps of it, in one write with the end of its steps
 * @returns nothing where an erasure superseded the flush
 */
export function flush(
  request: FlushRequest,
  slice: Slice,
  ports: WorkPorts,
  store: StoreFlush,
): Promise<{ readonly result: FlushResult | undefined } | undefined> {
  const write = async () => {
    const material =
      "entryIds" in request ? materialOfEntries(request, slice, ports) : await materialOfRange(request, slice, ports);
    return { result: material && (await writeContext(...inputsOf(request, material, slice, ports))) };
  };
  return doPart(request.work, slice, ports, write, ({ result }) => store(result));
}

/** The flush that the thread's control states asked for. */
export async function flushOpen({ fromSeq, toSeq }: FlushRecord, slice: Slice, ports: WorkPorts): Promise<void> {
  const { store } = ports;
  const flushKey = `${store.thread().threadId}:${toSeq}`;
  await flush({ work: `flush/${toSeq}`, flushKey, fromSeq, toSeq }, slice, ports, (result) => {
    store.flushDone(toSeq, result?.version, [...(result?.toolHistory ?? [])]);
    if (result === undefined) return;
    const { degradedFrom } = store.thread();
    if (result.degraded) store.setDegradedFrom(Math.min(degradedFrom ?? fromSeq, fromSeq));
    recordModelFailure(result, ports);
  });
}

function inputsOf(
  { work, flushKey }: FlushName,
  material: Material,
  slice: Slice,
  ports: WorkPorts,
): Parameters<typeof writeContext> {
  const { memory, prompts } = slice;
  const { contexts, entries } = ports.platform;
  return [
    {
      vaultId: memory.vaultId,
      memoryId: memory.memoryId,
      models: memory.models,
      prompts,
      toSeq: material.toSeq,
      withoutModel: slice.withoutModel,
    },
    {
      ...agentPorts(work, slice, ports),
      base: () => contexts.base(memory),
      entries: async () => synthesisEntries(memory, await material.entries(), entries),
      earlier: async (taken) => {
        const ids = taken.map(({ entryId }) => entryId);
        const found = await entries.coveredBefore(memory, ids, windowMessages, earlierEntries);
        const shown = await synthesisEntries(
          memory,
          found.map(({ entry }) => entry),
          entries,
        );
        return shown.map((entry, at) => ({ ...entry, before: found[at]?.before }));
      },
      put: async (put) => {
        const { expected, document, origins, source, sources } = put;
        return contexts.put(memory, {
          document,
          origins,
          source,
          sources,
          flushKey,
          author: `thread ${ports.store.thread().threadId}`,
          expected: expected.version,
          erasures: expected.erasures,
          forgotten: await material.forgotten(put),
          coverage: await material.coverage(sources),
        });
      },
    },
  ];
}

/** What was chosen, as far as it is there still. It was covered before: coverage stays as it is. */
function materialOfEntries(
  { entryIds, forgotten, left }: EntriesRequest,
  { memory }: Slice,
  { store, platform }: WorkPorts,
): Material {
  return {
    toSeq: store.thread().marks.lastSeq,
    entries: () => platform.entries.byIds(memory, entryIds),
    coverage: async () => ({}),
    // After a restoration meanwhile, other entries are forgotten.
    forgotten: async ({ expected, sources }) =>
      JSON.stringify(expected.forgotten) === JSON.stringify(forgotten) ? left : takenIn(expected.forgotten, sources),
  };
}

async function materialOfRange(
  { again = false, ...requested }: RangeRequest,
  { memory }: Slice,
  { store, platform }: WorkPorts,
): Promise<Material | undefined> {
  const { threadId } = store.thread();
  const isStandalone = threadId === standaloneThread;
  const coverage = async (): Promise<Record<string, number>> =>
    platform.contexts.takenIn(memory, (await platform.contexts.base(memory)).version);
  const coveredSeq = ownValue(await coverage(), threadId) ?? 0;
  const range = again || isStandalone ? requested : reachingBack(requested, coveredSeq);
  /** Too many to be taken in now: the context has forgotten them. */
  const skipped = async (): Promise<string[]> => {
    if (again || isStandalone || coveredSeq + 1 >= range.fromSeq) return [];
    const { entries } = await platform.entries.ofThread(memory, threadId, coveredSeq + 1, range.fromSeq - 1);
    if (entries.length > 0) store.setRebuildDue(true);
    return entries.map(({ entryId }) => entryId);
  };
  /** Entries without a conversation that are to be taken in; another thread's flush may have done that by now. */
  const standaloneMissing = async (): Promise<Entry[]> => {
    if (isStandalone && again) {
      return (await platform.entries.ofThread(memory, standaloneThread, range.fromSeq, range.toSeq)).entries;
    }
    return platform.entries.directAfter(memory, (await coverage())[standaloneThread] ?? 0, standaloneEntries);
  };
  if (isStandalone ? (await standaloneMissing()).length === 0 : store.livingIn(range) === 0) return undefined;
  return {
    toSeq: range.toSeq,
    entries: async () => {
      const conversation = isStandalone
        ? []
        : (await platform.entries.ofThread(memory, threadId, range.fromSeq, range.toSeq)).entries;
      const missing = store.livingIn(range) - conversation.length;
      if (missing > 0) throw new NotYetConsistentError(missing, range.toSeq);
      return [...(await standaloneMissing()), ...conversation];
    },
    coverage: async (sources) => {
      const lastStandalone = await platform.entries.lastDirect(memory, sources);
      return {
        ...(isStandalone ? {} : { [threadId]: Math.max(range.toSeq, store.thread().coveredSeq) }),
        ...(lastStandalone === 0 || again ? {} : { [standaloneThread]: lastStandalone }),
      };
    },
    forgotten: async ({ expected, sources }) => {
      const left = takenIn(expected.forgotten, sources);
      return { ...left, entries: [...new Set([...left.entries, ...(await skipped())])] };
    },
  };
}

/** From what the context covers on: more than was asked for when it covers less than it did. */
function reachingBack({ fromSeq, toSeq }: { fromSeq: number; toSeq: number }, coveredSeq: number) {
  return { fromSeq: Math.min(fromSeq, Math.max(coveredSeq + 1, toSeq - reachBackMessages + 1)), toSeq };
}

/** What a tenant may read: entries that a flush needs aren't found yet. It is tried again later. */
export class NotYetConsistentError extends Error {
  override readonly name = "NotYetConsistentError";

  constructor(missing: number, toSeq: number) {
    super(`${missing === 1 ? "1 entry" : `${missing} entries`} up to message ${toSeq} can't be found yet`);
  }
}
