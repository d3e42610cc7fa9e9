/** What the context forgot, since an item went that rested on a deleted entry, is taken in again from all that rested there too. */
import { hasForgotten } from "../../src/memory/context-items.js";
import { citedByExtracts } from "../../src/memory/extractive.js";
import { flush } from "./flushes.js";
import { postponeRewrite, recordModelFailure } from "./model-cooldown.js";
import type { Slice, WorkPorts } from "./work-ports.js";

/** Entries, of any thread, that one context takes in again. */
const rebuiltEntries = 24;

/** Takes in some of what was forgotten. */
export async function runRebuild(slice: Slice, ports: WorkPorts): Promise<void> {
  const { store, platform } = ports;
  const { version, forgotten } = await platform.contexts.base(slice.memory);
  if (!hasForgotten(forgotten)) return store.setRebuildDue(false);
  const { entryIds, left } = await platform.contexts.forgetting.nextForgotten(slice.memory, forgotten, rebuiltEntries);
  // All of them were deleted since.
  if (entryIds.length === 0) return platform.contexts.forgetting.nothingForgotten(slice.memory, version);
  const work = `rebuild/${store.countRewrite()}`;
  await flush({ work, flushKey: `context:${work}`, entryIds, forgotten, left }, slice, ports, (result) => {
    if (result?.degraded) store.setExtractsDue(true);
    if (result !== undefined) recordModelFailure(result, ports);
  });
}

/**
 * Has a model write properly what was taken in again without one.
 * @returns whether there was a model
 */
export async function rewriteExtracts(slice: Slice, ports: WorkPorts): Promise<boolean> {
  const { store, platform } = ports;
  const base = await platform.contexts.base(slice.memory);
  const entryIds = citedByExtracts(base, rebuiltEntries);
  if (entryIds.length === 0) {
    store.setExtractsDue(false);
    return true;
  }
  const work = `rewrite/${store.countRewrite()}/extracts`;
  const { forgotten } = base;
  const request = { work, flushKey: `context:${work}`, entryIds, forgotten, left: forgotten };
  const flushed = await flush(request, slice, ports, () => undefined);
  if (!flushed?.result?.degraded) return true;
  postponeRewrite(ports);
  return false;
}
