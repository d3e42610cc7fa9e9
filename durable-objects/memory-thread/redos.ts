/** What was written without a model is written again once it is back, a little at a time. */
import { runCapture } from "./captures.js";
import { runFlush } from "./flushes.js";
import { noteModel, postponeRedo, setRedo } from "./model-rest.js";
import { guarded, type Slice, type WorkPorts } from "./work-ports.js";

/** Entries that are redone in one slice, and that one redone context takes in. */
const sliceRedos = 4;
const redoneEntries = 24;

/** What was written without a model is written again, a little at a time. */
export async function doRedos(slice: Slice, ports: WorkPorts): Promise<void> {
  const { store, storage, platform } = ports;
  const count = store.countRedo();
  const context = (await platform.contexts.base(slice.memory)).document;
  for (const message of store.degraded(sliceRedos)) {
    const work = `redo/${count}/${message.seq}`;
    const captured = await guarded(ports, () =>
      runCapture(work, message, context, slice, ports, async ({ summary, summarySource, tags }) => {
        const old = await platform.entries.get(slice.memory, message.entryId);
        // An extract doesn't replace an extract.
        if (old === undefined || summarySource !== "model") return true;
        // Tags that somebody set stay.
        const change = { summary, summarySource, tags: { ...tags, ...old.tags } };
        return platform.entries.rewrite(slice.memory, message.entryId, change, slice.memory.erasures);
      }),
    );
    if (captured === undefined) return;
    storage.transactionSync(() => {
      ports.kit.forgetSteps(work);
      if (!captured.degraded) store.captured(message.seq, false, [...captured.toolHistory]);
      noteModel(captured, ports);
    });
    if (captured.degraded) return postponeRedo(ports);
  }
  const { degradedFrom, coveredSeq, threadId } = store.thread();
  if (degradedFrom !== undefined && store.countDegraded() === 0) {
    const work = `redo/${count}/context`;
    const range = { fromSeq: Math.max(degradedFrom, coveredSeq - redoneEntries + 1), toSeq: coveredSeq };
    const flushed = await guarded(ports, () => runFlush(work, `${threadId}:redo:${count}`, range, slice, ports, true));
    if (flushed === undefined) return;
    storage.transactionSync(() => {
      ports.kit.forgetSteps(work);
      if (flushed === "nothing" || !flushed.degraded) store.setDegradedFrom(undefined);
    });
    if (flushed !== "nothing" && flushed.degraded) return postponeRedo(ports);
  }
  const left = store.countDegraded() > 0 || store.thread().degradedFrom !== undefined;
  setRedo(ports, { at: left ? platform.now() : undefined, delay: 0, modelDownUntil: 0 });
}
