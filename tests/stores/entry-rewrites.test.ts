/** Changes of one entry at the same time. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { newId } from "../../src/platform/ids.js";
import { EntryStore } from "../../src/stores/memory/entry-store.js";
import { VectorIndex } from "../../src/stores/memory/vector-index.js";
import { EntryVectors } from "../../src/stores/memory/vectors.js";
import { entryIdOf, largeMemory } from "../support/large-memory.js";

const now = () => Date.UTC(2026, 0, 1);
const vectors = new EntryVectors(env.DB, async () => undefined, now, new VectorIndex(env.DB, undefined, now));
const entries = new EntryStore(env.DB, now, vectors);

it("tags that somebody sets while a model's summary replaces an extract are kept, and so is the summary", async () => {
  const memory = await largeMemory(1);
  const entryId = entryIdOf(memory, 1);
  const summary = { summary: "She moved to Lyon.", summarySource: "model" as const };
  const done = await Promise.all([
    entries.rewrite(memory, entryId, ({ tags }) => ({ ...summary, tags: { topic: "moving", ...tags } })),
    entries.tags(memory, entryId, { vip: true }),
    entries.rewrite(memory, entryId, ({ tags }) => ({ tags: { ...tags, seen: 1 } })),
  ]);
  expect(done).toEqual([true, true, true]);
  const entry = await entries.get(memory, entryId);
  expect(entry).toMatchObject(summary);
  expect(entry?.tags).toMatchObject({ vip: true });
});

it("nothing is changed of an entry that isn't there, or once others were deleted", async () => {
  const memory = await largeMemory(1);
  const change = () => ({ summary: "changed" });
  expect(await entries.rewrite(memory, "ent_none", change)).toBe(false);
  expect(await entries.rewrite(memory, entryIdOf(memory, 1), change, 17)).toBe(false);
  expect((await entries.get(memory, entryIdOf(memory, 1)))?.summary).not.toBe("changed");
});

it("one of several corrections at the same time takes an entry's place", async () => {
  const memory = await largeMemory(1);
  const old = entryIdOf(memory, 1);
  const correction = (rawEntry: string) => ({
    entryId: newId("ent"),
    threadId: "",
    role: "user",
    rawEntry,
    summary: rawEntry,
    tags: {},
    summarySource: "given" as const,
    occurredAt: new Date(now()).toISOString(),
  });
  const outcomes = await Promise.all(
    ["Lyon", "Oslo", "Rome"].map((text) => entries.correct(memory, old, correction(text), {})),
  );
  expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["added", "deleted", "deleted"]);
  const [first] = outcomes.flatMap((outcome) => (outcome.kind === "added" ? outcome.entry.entryId : []));
  expect((await entries.get(memory, old))?.supersededBy).toBe(first);
});
