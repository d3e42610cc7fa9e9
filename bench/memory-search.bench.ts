/** How long a search takes in a memory of 100,000 entries, next to one of 1,000 of the same kind; and among entries of more than 1,000 characters, next to short ones. Runs in workerd. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { searchMemory } from "../src/application/memory/memory-search.js";
import { ContextStore } from "../src/stores/memory/context-store.js";
import { EntryStore } from "../src/stores/memory/entry-store.js";
import { VectorIndex } from "../src/stores/memory/vector-index.js";
import { EntryVectors } from "../src/stores/memory/vectors.js";
import { largeMemory, questionOf } from "../tests/support/large-memory.js";
import { randomFrom } from "../tests/support/random.js";

const sizes = { small: 1_000, large: 100_000 };
const queries = 60;
/** Entries of the memories whose lengths are compared, and the words of a long one: some 1,200 to 1,400 characters. */
const lengthsIn = 5_000;
const longWords = 150;
const now = () => Date.UTC(2026, 0, 1);

it("takes at most three times as long in a hundred times as many entries, and as long for long ones", async () => {
  const small = await largeMemory(sizes.small);
  const large = await largeMemory(sizes.large);
  const [short, long] = [await largeMemory(lengthsIn), await largeMemory(lengthsIn, { words: longWords })];
  const db = env.DB;
  const vectors = new EntryVectors(db, async () => undefined, now, new VectorIndex(db, undefined, now));
  const ports = { db, now, entries: new EntryStore(db, now, vectors), contexts: new ContextStore(db, now), vectors };
  const taken: Record<"small" | "large" | "short" | "long", number[]> = { small: [], large: [], short: [], long: [] };
  const random = randomFrom(7);
  let hits = 0;
  for (let round = 0; round < queries + 10; round++) {
    const query = questionOf(random);
    // By turns, so that whatever disturbs the machine disturbs both.
    for (const [size, memory] of [
      ["small", small],
      ["large", large],
      ["short", short],
      ["long", long],
    ] as const) {
      const request = { query, topEntries: 10, topContexts: 0, filter: {} };
      const started = performance.now();
      const { entries } = await searchMemory(memory, request, ports);
      if (round >= 10) taken[size].push(performance.now() - started);
      hits += entries.length;
    }
  }
  const measured = { small: median(taken.small), large: median(taken.large), sizes, queries };
  const lengths = { short: median(taken.short), long: median(taken.long), entries: lengthsIn };
  console.log(`BENCH ${JSON.stringify({ ...measured, lengths })}`);
  expect(hits).toBeGreaterThan(queries * 10);
  expect(measured.large / measured.small).toBeLessThan(3);
  expect(lengths.long / lengths.short).toBeLessThan(3);
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
