/** How long a search takes in a memory of 100,000 entries, next to one of 1,000 of the same kind. Runs in workerd. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { extractiveSummary } from "../src/memory/extractive.js";
import { ContextStore } from "../src/platform/memory/context-store.js";
import { indexedColumns } from "../src/platform/memory/entry-rows.js";
import { EntryStore } from "../src/platform/memory/entry-store.js";
import { searchMemory } from "../src/platform/memory/memory-search.js";
import { type MemoryRef, MemoryStore } from "../src/platform/memory/memory-store.js";
import { EntryVectors } from "../src/platform/memory/vectors.js";
import { newMemory, type TestMemory } from "../tests/support/memory.js";

const sizes = { small: 1_000, large: 100_000 };
const queries = 60;
const now = () => Date.UTC(2026, 0, 1);

it("takes at most three times as long in a hundred times as many entries", async () => {
  const small = await filled(sizes.small);
  const large = await filled(sizes.large);
  const db = env.DB;
  const vectors = new EntryVectors(db, async () => undefined, now);
  const ports = { db, now, entries: new EntryStore(db, now, vectors), contexts: new ContextStore(db, now), vectors };
  const taken: Record<"small" | "large", number[]> = { small: [], large: [] };
  const random = randomFrom(7);
  let hits = 0;
  for (let round = 0; round < queries + 10; round++) {
    const query = questionOf(random);
    // By turns, so that whatever disturbs the machine disturbs both.
    for (const [size, memory] of [
      ["small", small],
      ["large", large],
    ] as const) {
      const request = { query, topEntries: 10, topContexts: 0, filter: {} };
      const started = performance.now();
      const { entries } = await searchMemory(memory, request, ports);
      if (round >= 10) taken[size].push(performance.now() - started);
      hits += entries.length;
    }
  }
  const measured = { small: median(taken.small), large: median(taken.large), sizes, queries };
  console.log(`BENCH ${JSON.stringify(measured)}`);
  expect(hits).toBeGreaterThan(queries * 10);
  expect(measured.large / measured.small).toBeLessThan(3);
});

/** Entries as a conversation brings them, written straight into D1; index and statistics follow by the triggers. */
async function filled(count: number): Promise<MemoryRef> {
  const memory = await refOf(await newMemory());
  const random = randomFrom(count);
  const columns =
    "tenant_id, memory_key, entry_id, thread_id, seq, session_key, role, raw_entry, summary, summary_source, tags, occurred_at, recorded_at, raw_terms, summary_terms, tag_terms, mark_terms, raw_length, summary_length, tag_length, index_terms";
  const values = columns.split(", ").map((_, at) => `value ->> ${at}`);
  for (let first = 1; first <= count; first += 500) {
    const rows = Array.from({ length: Math.min(500, count - first + 1) }, (_, at) => rowOf(memory, first + at, random));
    await env.DB.prepare(`INSERT INTO entries (${columns}) SELECT ${values.join(", ")} FROM json_each(?)`)
      .bind(JSON.stringify(rows))
      .run();
  }
  return memory;
}

function rowOf(memory: MemoryRef, seq: number, random: () => number): (string | number)[] {
  const rawEntry = sentenceOf(random);
  const entry = {
    threadId: `thread-${Math.floor(seq / 400)}`,
    role: seq % 2 === 1 ? "user" : "assistant",
    rawEntry,
    summary: extractiveSummary(rawEntry),
    summarySource: "extractive" as const,
    tags: {},
    occurredAt: new Date(Date.UTC(2020, 0, 1) + seq * 1_800_000).toISOString(),
  };
  const { sessionKey, terms, lengths, indexTerms } = indexedColumns(memory, entry);
  return [
    ...[memory.tenantId, memory.key, `ent_${memory.key}_${seq}`, entry.threadId, seq, sessionKey, entry.role],
    ...[rawEntry, entry.summary, entry.summarySource, "{}", entry.occurredAt, entry.occurredAt],
    ...[terms.raw, terms.summary, terms.tags, terms.marks, lengths.raw, lengths.summary, lengths.tags, indexTerms],
  ];
}

async function refOf(memory: TestMemory): Promise<MemoryRef> {
  const found = await new MemoryStore(env.DB, now).find(memory.tenant.tenantId, memory.memoryId);
  if (found === undefined) throw new Error("the memory isn't there");
  return found;
}

const syllables = [
  "ka",
  "to",
  "mi",
  "re",
  "su",
  "lan",
  "dor",
  "ve",
  "pi",
  "gra",
  "no",
  "bel",
  "shi",
  "ter",
  "quo",
  "zan",
];

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

function sentenceOf(random: () => number): string {
  return `${Array.from({ length: 8 + Math.floor(random() * 12) }, () => wordOf(random)).join(" ")}.`;
}

function questionOf(random: () => number): string {
  return `${Array.from({ length: 3 + Math.floor(random() * 4) }, () => wordOf(random)).join(" ")}?`;
}

/** The same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
