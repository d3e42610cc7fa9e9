import { env } from "cloudflare:workers";
import { beforeEach, expect, it, vi } from "vitest";
import { maintainMemories } from "../../src/application/memory/maintenance.js";
import { searchMemory } from "../../src/application/memory/memory-search.js";
import { composeServices } from "../../src/composition/services.js";
import type { MemoryRef } from "../../src/stores/memory/memory-store.js";
import { VectorIndex, type VectorIndexBinding } from "../../src/stores/memory/vector-index.js";
import { newTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { largeMemory } from "../support/large-memory.js";
import { upstreamFor } from "../support/upstream-client.js";

/** Vectorize as it is documented: its limits, vectors of one length, and answers from one namespace alone. */
class FakeVectorize implements VectorIndexBinding {
  readonly vectors = new Map<string, { values: number[]; namespace: string }>();
  down = false;
  /** Runs when vectors are on their way, before they are in. */
  onUpsert: () => Promise<unknown> = async () => {};

  constructor(private readonly dimensions: number) {}

  /** How many vectors it has of a memory. */
  of({ tenantId, memoryId }: MemoryRef): number {
    return [...this.vectors.values()].filter(({ namespace }) => namespace === `${tenantId}/${memoryId}`).length;
  }

  async describe() {
    return { vectorCount: this.vectors.size, dimensions: this.dimensions, processedUpToMutation: "m" };
  }

  async query(vector: number[], { topK, namespace }: { topK: number; namespace: string }) {
    this.check(vector, topK <= 100);
    const dot = (values: number[]) => values.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0);
    const matches = [...this.vectors]
      .filter(([, found]) => found.namespace === namespace)
      .map(([id, { values }]) => ({ id, score: dot(values) / Math.hypot(...values) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, topK);
    return { matches, count: matches.length };
  }

  async upsert(vectors: { id: string; values: number[]; namespace: string }[]) {
    await this.onUpsert();
    for (const { id, values, namespace } of vectors) {
      this.check(values, vectors.length <= 1_000 && id.length <= 64 && namespace.length <= 64);
      this.vectors.set(id, { values, namespace });
    }
    return { mutationId: "m" };
  }

  async deleteByIds(ids: string[]) {
    this.check(undefined, ids.length <= 1_000);
    for (const id of ids) this.vectors.delete(id);
    return { mutationId: "m" };
  }

  private check(vector: number[] | undefined, withinLimits: boolean): void {
    if (this.down) throw new Error("VECTOR_QUERY_ERROR");
    if (vector !== undefined && vector.length !== this.dimensions) throw new Error("invalid vector dimensions");
    if (!withinLimits) throw new Error("beyond a limit");
  }
}

/** Two meanings and the scripted model's own dimension. */
const meanings = [
  ["dog", "puppy", "terrier"],
  ["car", "vehicle"],
];
const hour = 3_600_000;

let index: FakeVectorize;
let services: ReturnType<typeof composeServices>;

beforeEach(() => {
  index = new FakeVectorize(3);
  services = composeServices({ ...env, VECTORS: index });
});

/** A tenant's memory, of more entries than are all looked at unless said otherwise, whose vectors come from a scripted model. */
async function embedded(entries = 600): Promise<MemoryRef> {
  const embeddings = upstreamFor(env.TEST_UPSTREAM);
  const tenant = await newTenant({
    providers: { vectors: { baseUrl: embeddings.baseURL, apiKey: "secret" } },
    embeddings: { provider: "vectors", model: embeddings.model },
  });
  await embeddings.reply({ embedding: meanings, repeat: true });
  return largeMemory(entries, { tenant });
}

/** Adds an entry as the API does, and has it embedded. */
async function add(memory: MemoryRef, rawEntry: string): Promise<string> {
  const added = await services.memory.addEntry(memory, { rawEntry, tags: {}, role: "user" }, {});
  if (!added.ok) throw new Error(added.problem.detail);
  await eventually(async () => {
    await services.memory.ports.vectors.fill(memory);
    expect(await untold(memory)).toBe(0);
  });
  return added.value.entryId;
}

/** How many entries of a memory the index has yet to hear of: those of other tests may stay for ever. */
async function untold({ key }: MemoryRef): Promise<number> {
  const row = await env.DB.prepare(
    `SELECT (SELECT COUNT(*) FROM entry_vectors v JOIN entries e ON e.key = v.entry_key WHERE e.memory_key = ?1 AND v.told < 2)
       + (SELECT COUNT(*) FROM entry_vectors_due WHERE memory_key = ?1) AS n`,
  )
    .bind(key)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

async function texts(memory: MemoryRef, query: string): Promise<string[]> {
  const request = { query, topEntries: 5, topContexts: 0, filter: {} };
  const { entries } = await searchMemory(memory, request, services.memory.ports);
  return entries.map(({ entry }) => entry.rawEntry);
}

it("finds in a large memory, by its meaning, what shares no word with the question", async () => {
  const memory = await embedded();
  await add(memory, "Our terrier is called Rex.");
  expect(await texts(memory, "Which puppy?")).toEqual(["Our terrier is called Rex."]);
  index.vectors.clear();
  expect(await texts(memory, "Which puppy?")).toEqual([]);
});

it("keeps every memory's vectors in a namespace of its own", async () => {
  const [mine, other] = [await embedded(), await embedded()];
  await add(other, "Their terrier is called Max.");
  expect(await texts(mine, "Which puppy?")).toEqual([]);
  expect([index.of(mine), index.of(other)]).toEqual([0, 1]);
});

it("takes a vector out with its entry, also one that was on its way", async () => {
  const memory = await embedded();
  const entryId = await add(memory, "Our terrier is called Rex.");
  await services.memory.deleteEntry(memory, entryId);
  expect(index.of(memory)).toBe(0);

  // Deleted while the vector is being sent: it arrives after the deletion, and is taken out an hour later.
  const added = await services.memory.addEntry(memory, { rawEntry: "A terrier.", tags: {}, role: "user" }, {});
  index.onUpsert = async () => added.ok && services.memory.deleteEntry(memory, added.value.entryId);
  await eventually(async () => {
    await services.memory.ports.vectors.fill(memory);
    expect(index.of(memory)).toBe(1);
  });
  vi.setSystemTime(Date.now() + hour + 1_000);
  await maintainMemories(services.memory, Date.now());
  vi.useRealTimers();
  expect(index.of(memory)).toBe(0);
});

it("takes all of a memory's vectors out when the memory goes", async () => {
  const memory = await embedded(0);
  for (let at = 0; at < 3; at++) await add(memory, `Terrier number ${at}.`);
  expect(index.of(memory)).toBe(3);
  await services.memory.deleteMemory(memory);
  expect(index.of(memory)).toBe(0);
});

it("does without it while it is down, and makes up for it later", async () => {
  const memory = await embedded();
  const entryId = await add(memory, "Our terrier is called Rex.");
  index.down = true;
  expect(await texts(memory, "Which puppy?")).toEqual([]);
  expect(await texts(memory, "Is Rex there?")).toEqual(["Our terrier is called Rex."]);
  await services.memory.deleteEntry(memory, entryId);
  expect(index.of(memory)).toBe(1);
  index.down = false;
  vi.setSystemTime(Date.now() + 120_000);
  await maintainMemories(services.memory, Date.now());
  vi.useRealTimers();
  expect(index.of(memory)).toBe(0);
});

it("takes a deletion's time only so far: the rest goes with the housekeeping", async () => {
  await env.DB.prepare(
    `INSERT INTO entry_vectors_gone (entry_key, gone_at)
     WITH RECURSIVE n (i) AS (SELECT 1000001 UNION ALL SELECT i + 1 FROM n WHERE i < 1012000) SELECT i, ? FROM n`,
  )
    .bind(Date.now())
    .run();
  const waiting = async () =>
    (await env.DB.prepare("SELECT COUNT(*) AS n FROM entry_vectors_gone WHERE told = 0").first<{ n: number }>())?.n;
  const vectors = services.memory.ports.vectors.index;
  const before = (await waiting()) ?? 0;
  await vectors.forget();
  expect(await waiting()).toBe(before - 5_000);
  await vectors.forget();
  await vectors.forget();
  expect(await waiting()).toBe(0);
});

it("leaves vectors of another length alone", async () => {
  index = new FakeVectorize(768);
  services = composeServices({ ...env, VECTORS: index });
  const memory = await embedded();
  const added = await services.memory.addEntry(memory, { rawEntry: "Our terrier.", tags: {}, role: "user" }, {});
  expect(added.ok).toBe(true);
  await eventually(async () => {
    await services.memory.ports.vectors.fill(memory);
    const due = env.DB.prepare("SELECT COUNT(*) AS n FROM entry_vectors_due WHERE memory_key = ?").bind(memory.key);
    expect(await due.first("n")).toBe(0);
  });
  expect(index.of(memory)).toBe(0);
  expect(await texts(memory, "Which puppy?")).toEqual([]);
});

it("several databases share an index, and none takes another's entry for its own", async () => {
  const shared = new FakeVectorize(2);
  const memory: MemoryRef = { tenantId: "ten_a", memoryId: "mem_a", vaultId: "vlt_a", key: 1, erasures: 0, models: [] };
  for (const id of ["5", "1-7", "2-9"]) shared.vectors.set(id, { values: [1, 1], namespace: "ten_a/mem_a" });
  const nearest = (database: number) =>
    new VectorIndex(env.DB, shared, Date.now, database).nearest(memory, new Float32Array([1, 1]), 10, 1_000);
  expect(await Promise.all([0, 1, 2].map(nearest))).toEqual([[5], [7], [9]]);
});
