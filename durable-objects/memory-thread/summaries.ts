/** Entries that were written directly get summary and tags of a model as captured ones do, once they are stored. */
import { defined } from "../../src/conversation/defined.js";
import type { Entry } from "../../src/memory/entry.js";
import { captureMessage, knownBefore } from "./captures.js";
import type { Slice, WorkPorts } from "./work-ports.js";

/** Entries that are summarised in one slice. */
export const sliceSummaries = 4;

/**
 * Has a model summarise some entries. Again, it changes nothing: what has a summary that isn't an extract keeps it.
 * @returns whether there was a model for all of them
 */
export async function runSummaries(entryIds: readonly string[], slice: Slice, ports: WorkPorts): Promise<boolean> {
  const { store, kit, platform } = ports;
  for (const entryId of entryIds) {
    const work = `summary/${entryId}`;
    const entry = await platform.entries.get(slice.memory, entryId);
    if (entry === undefined || entry.summarySource !== "extractive") {
      kit.write(() => store.summaries.done(entryId));
      continue;
    }
    const captured = await summarise(work, entry, slice, ports);
    if (captured === undefined || captured.degraded) return false;
  }
  return true;
}

async function summarise(work: string, entry: Entry, slice: Slice, ports: WorkPorts) {
  const { role, speaker, rawEntry: content, occurredAt, supersedes } = entry;
  const old = supersedes === undefined ? undefined : await ports.platform.entries.get(slice.memory, supersedes);
  const message = {
    seq: 0,
    role,
    speaker,
    content,
    occurredAt,
    ...defined({ corrects: old && { content: old.rawEntry, occurredAt: old.occurredAt } }),
  };
  const known = await knownBefore(slice, ports, entry.entryId);
  const { entryId } = entry;
  const request = {
    work,
    message,
    known,
    save: (written: EntrySummary) => rewriteSummary(entryId, written, slice, ports),
    store: ({ degraded }: { readonly degraded: boolean }) => {
      if (degraded) ports.store.summaries.failed(entryId);
      else ports.store.summaries.done(entryId);
    },
  };
  return captureMessage(request, slice, ports);
}

type EntrySummary = Pick<Entry, "summary" | "summarySource" | "tags">;

/** Puts what a model wrote in the place of an extract. False when an entry was deleted since the model was asked. */
export async function rewriteSummary(
  entryId: string,
  { summary, summarySource, tags }: EntrySummary,
  { memory }: Slice,
  { platform }: WorkPorts,
): Promise<boolean> {
  const old = await platform.entries.get(memory, entryId);
  // An extract doesn't replace an extract.
  if (old === undefined || summarySource !== "model") return true;
  // Tags that somebody set stay.
  const changeOf = (entry: Entry) => ({ summary, summarySource, tags: { ...tags, ...entry.tags } });
  return platform.entries.rewrite(memory, entryId, changeOf, memory.erasures);
}
