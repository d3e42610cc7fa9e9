/** What was written without a model is written again once it is back, a little at a time. */
import { captureMessage, knownBefore } from "./captures.js";
import { flush } from "./flushes.js";
import { postponeRewrite, scheduleRewrite } from "./model-cooldown.js";
import { rewriteExtracts } from "./rebuilds.js";
import { rewriteSummary, runSummaries, sliceSummaries } from "./summaries.js";
import type { Slice, WorkPorts } from "./work-ports.js";

/** Entries that are rewritten in one slice, and that one rewritten context takes in. */
const sliceRewrites = 4;
const rewrittenEntries = 24;

export async function runRewrites(slice: Slice, ports: WorkPorts): Promise<void> {
  const { store, platform } = ports;
  const count = store.countRewrite();
  const known = await knownBefore(slice, ports);
  for (const message of store.degraded(sliceRewrites)) {
    const captured = await captureMessage(
      {
        work: `rewrite/${count}/${message.seq}`,
        message,
        known,
        save: (entry) => rewriteSummary(message.entryId, entry, slice, ports),
        store: ({ degraded, toolHistory }) => {
          if (!degraded) store.captured(message.seq, false, [...toolHistory]);
        },
      },
      slice,
      ports,
    );
    if (captured === undefined) return;
    if (captured.degraded) return postponeRewrite(ports);
  }
  if (!(await runSummaries(store.summaries.next(true, sliceSummaries), slice, ports))) return postponeRewrite(ports);
  const { degradedFrom, coveredSeq, threadId } = store.thread();
  if (degradedFrom !== undefined && store.countDegraded() === 0) {
    const work = `rewrite/${count}/context`;
    const range = { fromSeq: Math.max(degradedFrom, coveredSeq - rewrittenEntries + 1), toSeq: coveredSeq };
    const request = { ...range, work, flushKey: `${threadId}:rewrite:${count}`, again: true };
    const flushed = await flush(request, slice, ports, (result) => {
      if (!result?.degraded) store.setDegradedFrom(undefined);
    });
    if (flushed === undefined) return;
    if (flushed.result?.degraded) return postponeRewrite(ports);
  }
  if (store.thread().areExtractsDue && !(await rewriteExtracts(slice, ports))) return;
  const { degradedFrom: stale, areExtractsDue } = store.thread();
  const left = store.countDegraded() > 0 || stale !== undefined || areExtractsDue;
  scheduleRewrite(ports, { at: left ? platform.now() : undefined, delay: 0, modelDownUntil: 0 });
}
