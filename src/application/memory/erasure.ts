/** The deletion of an entry for good: text, index, what was written with it in view, and the contexts that rest on it. */

import type { ThreadGateway } from "../../gateways/thread-gateway.js";
import { hasForgotten } from "../../memory/context-items.js";
import type { Entry, Tags } from "../../memory/entry.js";
import { extractiveSummary } from "../../memory/extractive.js";
import { standaloneThread } from "../../memory/memory.js";
import { batch, type Database } from "../../platform/sql.js";
import { insertEntryDeletion } from "../../stores/audit-log.js";
import type { IdempotencyStore } from "../../stores/idempotency-store.js";
import { type CitedEntry, ContextErasure, type StrippedPage } from "../../stores/memory/context-erasure.js";
import type { ContextStore } from "../../stores/memory/context-store.js";
import { findDerivedMentions } from "../../stores/memory/derived-mentions.js";
import { erasure, settingAside } from "../../stores/memory/entry-statements.js";
import type { EntryStore } from "../../stores/memory/entry-store.js";
import type { MemoryRef, MemoryStore } from "../../stores/memory/memory-store.js";
import { findOwnWords } from "../../stores/memory/own-words.js";
import type { EntryVectors } from "../../stores/memory/vectors.js";
import type { DoneBy } from "../../tenancy/audit.js";
import { tokenize } from "../../text/tokenizer.js";

export interface ErasureSources {
  readonly db: Database;
  readonly memories: MemoryStore;
  readonly entries: EntryStore;
  readonly contexts: ContextStore;
  readonly threads: ThreadGateway;
  readonly vectors: Pick<EntryVectors, "index">;
  readonly answers: Pick<IdempotencyStore, "forget">;
}

/** From the newest version on. */
const fromNewest = Number.MAX_SAFE_INTEGER;

/**
 * Removes an entry from D1. Whoever calls it has seen to the thread's object first, so that nothing can write it again. Can be
 * called again after any interruption.
 * @param deleted whose wish it is, for the audit; absent where it is the system's own
 * @param aside the restore of its thread by which it isn't erased, but set aside: nothing says anything of it, and its text stays in its row
 */
export async function eraseFromD1(
  memory: MemoryRef,
  entryId: string,
  sources: ErasureSources,
  deleted?: DoneBy,
  aside?: string,
): Promise<void> {
  const { db, entries, threads, vectors, answers } = sources;
  const contexts = new ContextErasure(db);
  const row = await entries.row(memory, entryId);
  const entry = await entries.get(memory, entryId);
  const corrections = await entries.detachCorrections(memory, entryId);
  const removeDerivedMentions = async (): Promise<void> => {
    if (entry === undefined) return;
    // Summaries of corrections were written with it in view, in whatever words.
    const mentions = [...(await findDerivedMentions(db, memory, entry)), ...corrections];
    await retractMentions(memory, entry, mentions, sources);
  };
  // Before the entry is removed, because its words are needed to find them; and again afterwards, for what was written meanwhile.
  await removeDerivedMentions();
  const since = await contexts.firstCiting(memory, entryId);
  const repeats = entry === undefined ? () => false : await findOwnWords(db, memory, entry);
  const cited = since === undefined ? undefined : { entryId, since, repeats };
  const first = cited === undefined ? undefined : await contexts.strip(memory, cited, fromNewest);
  await batch(db, [
    ...(aside === undefined
      ? erasure(entries.present(), memory, entryId)
      : settingAside(entries.present(), memory, entryId, aside)),
    ...(deleted === undefined ? [] : [insertEntryDeletion(memory, entryId, deleted)]),
    contexts.counted(memory),
    ...(first?.statements ?? []),
  ]);
  await removeDerivedMentions();
  await vectors.index.forget();
  // Kept answers of searches and restores may hold the entry.
  await answers.forget(memory.tenantId, memory.memoryId);
  // Anew, for what was put while the first page was read; from now on nothing is put that began before.
  if (cited !== undefined) {
    const changed = [...(first?.changed ?? []), ...(await stripAll(memory, cited, contexts, db))];
    // Begun before and interrupted: which versions changed then, nobody knows.
    const known = (row?.deleted_at ?? undefined) === undefined ? changed : undefined;
    await putWhatIsLeft(memory, [aside ?? "erasure", entryId].join(":"), known, sources);
  }
  await contexts.forgetSource(memory, entryId);
  if (row !== undefined && row.thread_id !== "") {
    const { tenantId, memoryId } = memory;
    const thread = { tenantId, memoryId, threadId: row.thread_id };
    // Summaries of the messages right after it were written with it in view, in whatever words.
    await replaceSummaries(memory, await threads.rewriteAround(thread, entryId), sources);
  }
  await rebuildContext(memory, sources);
}

async function stripAll(
  memory: MemoryRef,
  cited: CitedEntry,
  contexts: ContextErasure,
  db: Database,
): Promise<number[]> {
  const changed: number[] = [];
  for (let before: number | undefined = fromNewest; before !== undefined; ) {
    const page: StrippedPage = await contexts.strip(memory, cited, before);
    if (page.statements.length > 0) await batch(db, page.statements);
    changed.push(...page.changed);
    before = page.next;
  }
  return changed;
}

/** A new version, so that whoever read the one before doesn't take it for what it was; once for each deletion. */
async function putWhatIsLeft(
  memory: MemoryRef,
  flushKey: string,
  changed: readonly number[] | undefined,
  { contexts }: ErasureSources,
): Promise<void> {
  for (;;) {
    const { version, erasures, document, origins, forgotten } = await contexts.base(memory);
    if (changed?.includes(version) === false) return;
    const left = { document, origins, forgotten, source: "erased" as const, author: "erasure" };
    const outcome = await contexts.put(memory, { ...left, erasures, expected: version, flushKey });
    if (outcome.kind === "stored") return;
  }
}

/**
 * Has what the context forgot taken in again, if there is any: by the thread of entries without a conversation, which every memory
 * has or gets.
 */
export async function rebuildContext(
  memory: MemoryRef,
  { contexts, memories, threads }: Pick<ErasureSources, "contexts" | "memories" | "threads">,
): Promise<void> {
  if (!hasForgotten((await contexts.base(memory)).forgotten)) return;
  await memories.noteThread(memory, standaloneThread);
  const { tenantId, memoryId } = memory;
  await threads.rebuild({ tenantId, memoryId, threadId: standaloneThread });
}

/** Replaces what models wrote of these entries by extracts, and has their threads write it anew. */
async function retractMentions(
  memory: MemoryRef,
  erased: Entry,
  entryIds: readonly string[],
  sources: ErasureSources,
): Promise<void> {
  const read = await sources.entries.byIds(memory, [...new Set(entryIds)]);
  const found = read.filter(({ summarySource }) => summarySource === "model");
  await replaceSummaries(
    memory,
    found.map((entry) => entry.entryId),
    sources,
    erased,
  );
  const { tenantId, memoryId } = memory;
  for (const threadId of new Set(found.map((entry) => entry.threadId ?? standaloneThread))) {
    const ofThread = found
      .filter((entry) => (entry.threadId ?? standaloneThread) === threadId)
      .map((entry) => entry.entryId);
    await sources.threads.backfill({ tenantId, memoryId, threadId }, ofThread);
  }
}

/** Until a model writes them again, summaries are extracts of their own text. */
async function replaceSummaries(
  memory: MemoryRef,
  entryIds: readonly string[],
  { entries }: ErasureSources,
  erased?: Entry,
): Promise<void> {
  for (const { entryId } of await entries.byIds(memory, entryIds)) {
    await entries.rewrite(memory, entryId, (entry) =>
      entry.summarySource === "given"
        ? {}
        : {
            summary: extractiveSummary(entry.rawEntry),
            summarySource: "extractive" as const,
            // Of entries that were written directly their writer may have set them: those that tell nothing of it stay.
            tags: entry.threadId === undefined && erased !== undefined ? tagsBeside(entry, erased) : {},
          },
    );
  }
}

/** The tags of an entry without those that have a word from an erased one and not from its own text. */
function tagsBeside({ tags, rawEntry }: Entry, erased: Entry): Tags {
  const words = new Set(tokenize(`${erased.rawEntry} ${erased.summary}`).map(({ term }) => term));
  for (const { term } of tokenize(rawEntry)) words.delete(term);
  const tells = (name: string, value: Tags[string]): boolean =>
    tokenize(`${name} ${value}`).some(({ term }) => words.has(term));
  return Object.fromEntries(Object.entries(tags).filter(([name, value]) => !tells(name, value)));
}
