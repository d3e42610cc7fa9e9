/** Entries are taken into the context: one flush at a time, in order. */
import { type Flushed, flush } from "../../src/memory/flush.js";
import { forgetSteps } from "../kit/journal.js";
import { noteModel } from "./model-rest.js";
import type { FlushRecord } from "./store.js";
import { agentPorts, guarded, type Slice, type WorkPorts } from "./work-ports.js";

/** Entries without a conversation that one flush takes in. */
const directEntries = 20;

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
    forgetSteps(storage.sql, `flush/${toSeq}`);
    if (flushed === "nothing") return;
    const { degradedFrom } = store.thread();
    if (flushed.degraded) store.setDegradedFrom(Math.min(degradedFrom ?? request.fromSeq, request.fromSeq));
    noteModel(flushed, ports);
  });
}

/** Takes a stretch of the thread into the context; `nothing` when all of it was erased. */
export async function runFlush(
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

class NotConsistentYet extends Error {
  override readonly name = "NotConsistentYet";
}
