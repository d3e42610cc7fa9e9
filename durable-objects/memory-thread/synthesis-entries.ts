/** Entries as a synthesis sees them: with what they correct. */
import { defined } from "../../src/conversation/defined.js";
import type { Entry } from "../../src/memory/entry.js";
import type { SynthesisEntry } from "../../src/memory/prompts.js";
import type { EntryStore } from "../../src/stores/memory/entry-store.js";
import type { MemoryRef } from "../../src/stores/memory/memory-store.js";

/** @param store where the entries that these correct are read; those that were deleted meanwhile stay unnamed */
export async function synthesisEntries(
  memory: MemoryRef,
  entries: readonly Entry[],
  store: Pick<EntryStore, "byIds">,
): Promise<SynthesisEntry[]> {
  const correctedIds = entries.flatMap(({ supersedes }) => supersedes ?? []);
  const corrected = correctedIds.length === 0 ? [] : await store.byIds(memory, correctedIds);
  const byId = new Map(corrected.map((entry) => [entry.entryId, entry]));
  return entries.map((entry) => {
    const old = entry.supersedes === undefined ? undefined : byId.get(entry.supersedes);
    return {
      entryId: entry.entryId,
      seq: entry.seq ?? 0,
      role: entry.role,
      ...defined({ speaker: entry.speaker }),
      content: entry.rawEntry,
      summary: entry.summary,
      occurredAt: entry.occurredAt,
      ...defined({ corrects: old && { entryId: old.entryId, content: old.rawEntry, occurredAt: old.occurredAt } }),
      ...(entry.supersededBy === undefined ? {} : { isSuperseded: true }),
    };
  });
}
