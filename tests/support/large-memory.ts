/** Memories of any size, written straight into D1, and questions about them: to see what grows with a memory. */
import { env } from "cloudflare:workers";
import { extractiveSummary } from "../../src/memory/extractive.js";
import { indexedColumns } from "../../src/stores/memory/entry-rows.js";
import { type MemoryRef, MemoryStore } from "../../src/stores/memory/memory-store.js";
import type { TestTenant } from "./conclave.js";
import { newMemory } from "./memory.js";
import { randomFrom } from "./random.js";

/** A memory with entries as conversations bring them (with at least so many words each); index and statistics follow by the triggers. */
export async function largeMemory(
  count: number,
  { threadLength = 400, words = 8, tenant: owner }: { threadLength?: number; words?: number; tenant?: TestTenant } = {},
): Promise<MemoryRef> {
  const { tenant, memoryId } = await newMemory("offline", owner);
  const memory = await new MemoryStore(env.DB, Date.now).find(tenant.tenantId, memoryId);
  if (memory === undefined) throw new Error("the memory isn't there");
  const random = randomFrom(count);
  const columns =
    "tenant_id, memory_key, entry_id, thread_id, seq, session_key, role, raw_entry, summary, summary_source, tags, occurred_at, recorded_at, raw_terms, summary_terms, tag_terms, mark_terms, raw_length, summary_length, tag_length, index_terms";
  const values = columns.split(", ").map((_, at) => `value ->> ${at}`);
  for (let first = 1; first <= count; first += 500) {
    const rows = Array.from({ length: Math.min(500, count - first + 1) }, (_, at) =>
      rowOf(memory, first + at, threadLength, words, random),
    );
    await env.DB.prepare(`INSERT INTO entries (${columns}) SELECT ${values.join(", ")} FROM json_each(?)`)
      .bind(JSON.stringify(rows))
      .run();
  }
  return memory;
}

/** The id of the entry of a number. */
export function entryIdOf(memory: MemoryRef, number: number): string {
  return `ent_${memory.key}_${number}`;
}

function rowOf(
  memory: MemoryRef,
  number: number,
  threadLength: number,
  words: number,
  random: () => number,
): (string | number)[] {
  const rawEntry = `${wordsOf(words + Math.floor(random() * 12), random)}.`;
  const entry = {
    threadId: `thread-${Math.floor((number - 1) / threadLength)}`,
    role: number % 2 === 1 ? "user" : "assistant",
    rawEntry,
    summary: extractiveSummary(rawEntry),
    summarySource: "extractive" as const,
    tags: {},
    occurredAt: new Date(Date.UTC(2020, 0, 1) + number * 1_800_000).toISOString(),
  };
  const { sessionKey, terms, lengths, indexTerms } = indexedColumns(memory, entry);
  const seq = ((number - 1) % threadLength) + 1;
  return [
    ...[memory.tenantId, memory.key, entryIdOf(memory, number), entry.threadId, seq, sessionKey, entry.role],
    ...[rawEntry, entry.summary, entry.summarySource, "{}", entry.occurredAt, entry.occurredAt],
    ...[terms.raw, terms.summary, terms.tags, terms.marks, lengths.raw, lengths.summary, lengths.tags, indexTerms],
  ];
}

const syllables = "ka to mi re su lan dor ve pi gra no bel shi ter quo zan".split(" ");

/** Words that occur as words of a language do: the first very often, the last almost never. */
function wordOf(random: () => number): string {
  let rank = Math.floor(8_000 ** random());
  let word = "";
  for (let at = 0; at < 4; at++) {
    word += syllables[rank % syllables.length];
    rank = Math.floor(rank / syllables.length);
  }
  return word;
}

function wordsOf(count: number, random: () => number): string {
  return Array.from({ length: count }, () => wordOf(random)).join(" ");
}

/** A question of three to six words. */
export function questionOf(random: () => number): string {
  return `${wordsOf(3 + Math.floor(random() * 4), random)}?`;
}
