import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { searchMemory } from "../../src/application/memory/memory-search.js";
import { newId } from "../../src/platform/ids.js";
import { batch } from "../../src/platform/sql.js";
import { ContextErasure } from "../../src/stores/memory/context-erasure.js";
import { ContextStore } from "../../src/stores/memory/context-store.js";
import { EntrySource } from "../../src/stores/memory/entry-search.js";
import { erasure } from "../../src/stores/memory/entry-statements.js";
import { EntryStore } from "../../src/stores/memory/entry-store.js";
import { type MemoryRef, MemoryStore } from "../../src/stores/memory/memory-store.js";
import { findOwnWords } from "../../src/stores/memory/own-words.js";
import { VectorIndex } from "../../src/stores/memory/vector-index.js";
import { EntryVectors } from "../../src/stores/memory/vectors.js";
import { entryIdOf, largeMemory, questionOf } from "../support/large-memory.js";
import { randomFrom } from "../support/random.js";
import { recordedDb } from "../support/recorded-db.js";

const now = () => Date.UTC(2026, 0, 1);
const { db, rowsRead } = recordedDb(env.DB);
const embedder = { model: "m", embed: async (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 0)) };
const vectors = new EntryVectors(db, async () => embedder, now, new VectorIndex(db, undefined, now));
const memories = new MemoryStore(db, now);
const entries = new EntryStore(db, now, vectors);
const contexts = new ContextStore(db, now);
const contextErasure = new ContextErasure(db);

/** A memory of one long thread, in which every sixth message brought a version of the context. */
async function conversed(count: number): Promise<MemoryRef> {
  const memory = await largeMemory(count, { threadLength: count });
  await memories.noteThread(memory, "thread-0");
  for (let version = 1; version <= count / 6; version++) {
    const covered = version * 6;
    await contexts.put(memory, {
      expected: version - 1,
      origins: [{ by: "entries", entries: Array.from({ length: 6 }, (_, at) => entryIdOf(memory, covered - at)) }],
      document: `## Notes
- version ${version}`,
      source: "model",
      author: "thread thread-0",
      coverage: { "thread-0": covered },
      sources: Array.from({ length: 6 }, (_, at) => entryIdOf(memory, covered - at)),
    });
  }
  return memory;
}

const written = { role: "user", rawEntry: "a cat", summary: "a cat", summarySource: "given" as const, tags: {} };
const record = () => ({ ...written, entryId: newId("ent"), threadId: "", occurredAt: new Date(now()).toISOString() });
const shown = { ...record(), memoryId: "", recordedAt: new Date(now()).toISOString() };
const random = randomFrom(7);
const question = Array.from({ length: 3 }, () => questionOf(random)).join(" ");

/** What is done with a memory of so many entries; the last ones change it. */
const acts: Record<string, (memory: MemoryRef, count: number) => Promise<unknown>> = {
  "search for words": (memory) =>
    searchMemory(
      memory,
      { query: question, topEntries: 10, topContexts: 1, filter: {} },
      {
        db,
        now,
        entries,
        contexts,
        vectors,
      },
    ),
  "search by meaning": async (memory) => {
    const query = { model: "m", vector: Float32Array.of(1, 0) };
    await vectors.nearest(memory, query);
    await vectors.similarities(memory, query, [entryIdOf(memory, 7), entryIdOf(memory, 8)]);
  },
  "read candidates by their ids": (memory) =>
    new EntrySource(db, memory, {}, new Date(now()).toISOString()).candidates({
      probes: [],
      dateProbes: [],
      entryIds: [entryIdOf(memory, 7)],
      maxCandidates: 150,
    }),
  "read an entry": (memory) => entries.get(memory, entryIdOf(memory, 7)),
  "read ten entries": (memory) =>
    entries.byIds(
      memory,
      Array.from({ length: 10 }, (_, at) => entryIdOf(memory, at + 1)),
    ),
  "list a page": (memory) => entries.list(memory, {}, undefined, 20),
  "list a later page": (memory, count) =>
    entries.list(
      memory,
      {},
      { occurredAt: "2020-01-02T00:00:00.000Z", entryId: entryIdOf(memory, Math.floor(count / 2)) },
      20,
    ),
  "read what no context covers": async (memory) =>
    entries.uncovered(memory, (await contexts.current(memory)).coverage, 100),
  "read a range of a thread": (memory) => entries.ofThread(memory, "thread-0", 7, 12),
  "read entries without a conversation": (memory) => entries.directAfter(memory, 0, 20),
  "read what stands before entries": (memory, count) =>
    entries.coveredBefore(memory, [entryIdOf(memory, count - 1), entryIdOf(memory, 40)], 10, 24),
  "follow corrections": async (memory) => {
    await entries.corrected(memory, entryIdOf(memory, 7));
    await entries.corrections(memory, entryIdOf(memory, 7));
  },
  "find the last of some entries without a conversation": (memory) =>
    entries.lastDirect(memory, [entryIdOf(memory, 7)]),
  "find an entry by its key": (memory) => entries.byKey(memory, "k"),
  "read the context": (memory) => contexts.current(memory),
  "read a version of the context": (memory) => contexts.version(memory, 3),
  "list versions": (memory) => contexts.versions(memory, Number.MAX_SAFE_INTEGER, 20),
  "begin a flush": (memory) => contexts.base(memory),
  "list what a version rests on": (memory) => contexts.sources(memory, 3, { since: 0, entryId: "" }, 20),
  "add an entry": (memory) => entries.add(memory, record(), { idempotencyKey: "k", requestHash: "h" }),
  "add it again": (memory) => entries.add(memory, record(), { idempotencyKey: "k", requestHash: "h" }),
  "take a message": (memory, count) => entries.put(memory, { ...record(), threadId: "thread-0" }, count + 1),
  "correct an entry": (memory) => entries.correct(memory, entryIdOf(memory, 9), record(), { requestHash: "h" }),
  "replace tags": (memory) => entries.tags(memory, entryIdOf(memory, 7), { a: 1 }),
  "embed what is due": (memory) => vectors.fill(memory),
  "put a context": async (memory) => {
    const { version, erasures } = await contexts.base(memory);
    await contexts.put(memory, {
      expected: version,
      erasures,
      document: "## Notes",
      origins: [],
      source: "model",
      author: "thread",
      flushKey: "f",
      coverage: { "thread-0": 400 },
    });
  },
  "delete an entry that the last context rests on": async (memory, count) => {
    const entryId = entryIdOf(memory, count);
    const since = (await contextErasure.firstCiting(memory, entryId)) ?? 1;
    const cited = { entryId, since, repeats: await findOwnWords(db, memory, { ...shown, entryId }) };
    const { statements } = await contextErasure.strip(memory, cited, Number.MAX_SAFE_INTEGER);
    await batch(db, [...erasure(entries.present(), memory, entryId), contextErasure.counted(memory), ...statements]);
    await contextErasure.forgetSource(memory, entryId);
  },
};

it("reads no more rows in a memory of 3,000 entries than in one of 300, whatever is done", async () => {
  const [small, large] = [await conversed(300), await conversed(3_000)];
  const grown: Record<string, string> = {};
  for (const [name, act] of Object.entries(acts)) {
    rowsRead();
    await act(small, 300);
    const inSmall = rowsRead();
    await act(large, 3_000);
    const inLarge = rowsRead();
    if (inLarge > 2 * inSmall + 20) grown[name] = `${inSmall} rows, then ${inLarge}`;
  }
  expect(grown).toEqual({});
});
