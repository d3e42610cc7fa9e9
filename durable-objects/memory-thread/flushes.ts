/** Entries are taken into the context: one flush at a time, in order. */
import type { FlushRange } from "../../src/memory/control.js";
import type { Entry } from "../../src/memory/entry.js";
import { type Flushed, writeContext } from "../../src/memory/flush.js";
import { standaloneThread } from "../../src/memory/memory.js";
import { agentPorts, guarded, type Slice, type WorkPorts } from "./work-ports.js";

/** Entries without a conversation that one flush takes in. */
const standaloneEntries = 20;
/** Messages that one flush takes in, when an old version was restored that doesn't cover them. */
const reachBackMessages = 60;

/** A part of the thread that is taken into the context. */
export interface FlushRequest extends FlushRange {
  /** Its steps are kept under this id. */
  readonly work: string;
  /** The same flush finds by it what it put before. */
  readonly flushKey: string;
  /** Whether the part was taken in before, without a model. */
  readonly again?: boolean;
}

/** `nothing` when all of the part was erased; `undefined` when an erasure superseded the flush. */
export function flush(request: FlushRequest, slice: Slice, ports: WorkPorts): Promise<Flushed | "nothing" | undefined> {
  return guarded(ports, async () => {
    const inputs = await flushInputs(request, slice, ports);
    return inputs === undefined ? "nothing" : writeContext(...inputs);
  });
}

async function flushInputs(
  { work, flushKey, again = false, ...requested }: FlushRequest,
  slice: Slice,
  ports: WorkPorts,
): Promise<Parameters<typeof writeContext> | undefined> {
  const { store, platform } = ports;
  const { memory, prompts } = slice;
  const { threadId } = store.thread();
  const isStandalone = threadId === standaloneThread;
  const coverage = async (): Promise<Record<string, number>> =>
    platform.contexts.coverage(memory, (await platform.contexts.base(memory)).version);
  const range = again || isStandalone ? requested : reachingBack(requested, (await coverage())[threadId] ?? 0);
  /** Entries without a conversation that are to be taken in; another thread's flush may have done that by now. */
  const standaloneMissing = async (): Promise<Entry[]> => {
    if (isStandalone && again) {
      return (await platform.entries.ofThread(memory, standaloneThread, range.fromSeq, range.toSeq)).entries;
    }
    return platform.entries.directAfter(memory, (await coverage())[standaloneThread] ?? 0, standaloneEntries);
  };
  if (isStandalone ? (await standaloneMissing()).length === 0 : store.livingIn(range) === 0) return undefined;
  return [
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
        const conversation = isStandalone
          ? []
          : (await platform.entries.ofThread(memory, threadId, range.fromSeq, range.toSeq)).entries;
        const missing = store.livingIn(range) - conversation.length;
        if (missing > 0) throw new NotYetConsistentError(missing, range.toSeq);
        return [...(await standaloneMissing()), ...conversation].map((entry) => ({
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
        const lastStandalone = await platform.entries.lastDirect(memory, sources);
        return platform.contexts.put(memory, {
          document,
          source,
          sources,
          flushKey,
          author: `thread ${threadId}`,
          expected: expected.version,
          erasures: expected.erasures,
          coverage: {
            ...(isStandalone ? {} : { [threadId]: Math.max(range.toSeq, store.thread().coveredSeq) }),
            ...(lastStandalone === 0 || again ? {} : { [standaloneThread]: lastStandalone }),
          },
        });
      },
    },
  ];
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
