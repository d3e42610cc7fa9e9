/** The deletion of an entry for good: text, index, what was written with it in view, and the contexts that rest on it. */

import type { ThreadGateway } from "../../gateways/thread-gateway.js";
import { mergeContexts } from "../../memory/context-merge.js";
import { extractiveContext, extractiveSummary } from "../../memory/extractive.js";
import type { IdempotencyStore } from "../../stores/idempotency-store.js";
import type { ContextStore } from "../../stores/memory/context-store.js";
import { findDerivedMentions } from "../../stores/memory/derived-mentions.js";
import { erasure } from "../../stores/memory/entry-statements.js";
import type { EntryStore } from "../../stores/memory/entry-store.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { EntryVectors } from "../../stores/memory/vectors.js";

export interface ErasureSources {
  readonly db: D1Database;
  readonly entries: EntryStore;
  readonly contexts: ContextStore;
  readonly threads: ThreadGateway;
  readonly vectors: Pick<EntryVectors, "index">;
  readonly answers: Pick<IdempotencyStore, "forget">;
}

/** Entries that the context is rebuilt from at most. */
const rebuiltFrom = 50;

/**
 * Removes an entry from D1. Whoever calls it has seen to the thread's object first, so that nothing can write it again. Can be
 * called again after any interruption.
 */
export async function eraseFromD1(memory: MemoryRef, entryId: string, sources: ErasureSources): Promise<void> {
  const { db, entries, contexts, threads, vectors, answers } = sources;
  const row = await entries.row(memory, entryId);
  const entry = await entries.get(memory, entryId);
  const removeDerivedMentions = async (): Promise<void> => {
    if (entry !== undefined) await retractMentions(memory, await findDerivedMentions(db, memory, entry), sources);
  };
  // Before the entry is removed, because its words are needed to find them; and again afterwards, for what was written meanwhile.
  await removeDerivedMentions();
  const cited = await contexts.firstCiting(memory, entryId);
  await db.batch([...erasure(db, entries.present(), memory, entryId), ...contexts.wiping(memory, entryId, cited)]);
  await removeDerivedMentions();
  await vectors.index.forget();
  // Kept answers of searches and restores may hold the entry.
  await answers.forget(memory.tenantId, memory.memoryId);
  // Also after an interruption just here, when nothing cites the entry any more.
  const emptied = await contexts.emptiedSince(memory);
  if (emptied !== undefined) await rebuildContext(memory, entryId, emptied, sources);
  if (row === undefined || row.thread_id === "") return;

  const { tenantId, memoryId } = memory;
  const thread = { tenantId, memoryId, threadId: row.thread_id };
  // Summaries of the messages right after it were written with it in view, in whatever words.
  await replaceSummaries(memory, await threads.rewriteAround(thread, entryId, cited), sources);
}

/** Replaces what models wrote of these entries by extracts, and has their threads write it anew. */
async function retractMentions(memory: MemoryRef, entryIds: readonly string[], sources: ErasureSources): Promise<void> {
  const found = await sources.entries.byIds(memory, entryIds);
  await replaceSummaries(memory, entryIds, sources);
  const { tenantId, memoryId } = memory;
  for (const threadId of new Set(found.flatMap((entry) => entry.threadId ?? []))) {
    const ofThread = found.filter((entry) => entry.threadId === threadId).map((entry) => entry.entryId);
    await sources.threads.backfill({ tenantId, memoryId, threadId }, ofThread);
  }
}

/** Until a model writes them again, summaries are extracts of their own text. */
async function replaceSummaries(
  memory: MemoryRef,
  entryIds: readonly string[],
  { entries }: ErasureSources,
): Promise<void> {
  for (const entry of await entries.byIds(memory, entryIds)) {
    if (entry.summarySource === "given") continue;
    const change = { summary: extractiveSummary(entry.rawEntry), summarySource: "extractive" as const, tags: {} };
    await entries.rewrite(memory, entry.entryId, change);
  }
}

/** Puts a context together from the last version that didn't know the entry, and extracts of what came since. */
async function rebuildContext(
  memory: MemoryRef,
  entryId: string,
  cited: number,
  { entries, contexts }: ErasureSources,
): Promise<void> {
  const before = cited > 1 ? await contexts.version(memory, cited - 1) : undefined;
  const since = await contexts.sourcesSince(memory, cited, rebuiltFrom);
  const session = (await entries.byIds(memory, since)).map((entry) => ({
    seq: entry.seq ?? 0,
    role: entry.role,
    ...(entry.speaker === undefined ? {} : { speaker: entry.speaker }),
    content: entry.rawEntry,
    // Their summaries may repeat what was deleted.
    summary: entry.summarySource === "given" ? entry.summary : "",
    occurredAt: entry.occurredAt,
  }));
  let document = extractiveContext(before?.document ?? "", session);
  for (let base = await contexts.base(memory); ; ) {
    const outcome = await contexts.put(memory, {
      document,
      source: "extractive",
      author: "erasure",
      expected: base.version,
      erasures: base.erasures,
      flushKey: `erasure:${entryId}`,
      sources: since,
    });
    // Another deletion makes its own context.
    if (outcome.kind !== "conflict") return;
    document = mergeContexts(base.document, outcome.current.document, document);
    base = outcome.current;
  }
}
