/** Entries are taken into the context: one flush at a time, in order. */
import type { Entry } from "../../src/memory/entry.js";
import { type Flushed, flush } from "../../src/memory/flush.js";
import { standaloneThread } from "../../src/memory/memory.js";
import { recordModelFailure } from "./model-cooldown.js";
import type { FlushRecord } from "./store.js";
import { agentPorts, guarded, type Slice, type WorkPorts } from "./work-ports.js";

/** Entries without a conversation that one flush takes in. */
const standaloneEntries = 20;
/** Messages that one flush takes in, when an old version was restored that doesn't cover them. */
const takenAgain = 60;

export async function doFlush(request: FlushRecord, slice: Slice, ports: WorkPorts): Promise<void> {
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
    ports.kit.forgetSteps(`flush/${toSeq}`);
    if (flushed === "nothing") return;
    const { degradedFrom } = store.thread();
    if (flushed.degraded) store.setDegradedFrom(Math.min(degradedFrom ?? request.fromSeq, request.fromSeq));
    recordModelFailure(flushed, ports);
  });
}

/** Takes a stretch of the thread into the context; `nothing` when all of it was erased. */
export async function runFlush(
  work: string,
  flushKey: string,
  asked: { fromSeq: number; toSeq: number },
  slice: Slice,
  ports: WorkPorts,
  /** Whether the stretch was taken in before, without a model. */
  again = false,
): Promise<Flushed | "nothing"> {
  const { store, platform } = ports;
  const { memory, prompts } = slice;
  const { threadId } = store.thread();
  const isDirect = threadId === standaloneThread;
  const coverage = async (): Promise<Record<string, number>> =>
    platform.contexts.coverage(memory, (await platform.contexts.base(memory)).version);
  const range = again || isDirect ? asked : reachingBack(asked, (await coverage())[threadId] ?? 0);
  /** Entries without a conversation that are to be taken in; another thread's flush may have done that by now. */
  const standalone = async (): Promise<Entry[]> => {
    if (isDirect && again) {
      return (await platform.entries.ofThread(memory, standaloneThread, range.fromSeq, range.toSeq)).entries;
    }
    return platform.entries.directAfter(memory, (await coverage())[standaloneThread] ?? 0, standaloneEntries);
  };
  if (isDirect ? (await standalone()).length === 0 : store.livingIn(range) === 0) return "nothing";
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
        const said = isDirect
          ? []
          : (await platform.entries.ofThread(memory, threadId, range.fromSeq, range.toSeq)).entries;
        const missing = store.livingIn(range) - said.length;
        if (missing > 0) throw new NotConsistentYet(missing, range.toSeq);
        return [...(await standalone()), ...said].map((entry) => ({
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
        const lastDirect = await platform.entries.lastDirect(memory, sources);
        return platform.contexts.put(memory, {
          document,
          source,
          sources,
          flushKey,
          author: `thread ${threadId}`,
          expected: expected.version,
          erasures: expected.erasures,
          coverage: {
            ...(isDirect ? {} : { [threadId]: Math.max(range.toSeq, store.thread().coveredSeq) }),
            ...(lastDirect === 0 || again ? {} : { [standaloneThread]: lastDirect }),
          },
        });
      },
    },
  );
}

/** From what the context covers on: more than was asked for when it covers less than it did. */
function reachingBack({ fromSeq, toSeq }: { fromSeq: number; toSeq: number }, coveredSeq: number) {
  return { fromSeq: Math.min(fromSeq, Math.max(coveredSeq + 1, toSeq - takenAgain + 1)), toSeq };
}

class NotConsistentYet extends Error {
  override readonly name = "NotConsistentYet";

  constructor(missing: number, toSeq: number) {
    super(`${missing === 1 ? "1 entry" : `${missing} entries`} up to message ${toSeq} can't be found yet`);
  }
}
