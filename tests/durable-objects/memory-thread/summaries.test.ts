/** Entries that are written directly, and corrections: what a model makes of them, and what they are found by. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { addEntryReply, newMemory, type TestMemory } from "../../support/memory.js";

afterEach(() => vi.useRealTimers());

const write = (memory: TestMemory, rawEntry: string, fields: Record<string, unknown> = {}, headers = {}) =>
  memory.call("POST", "/entries", { rawEntry, ...fields }, headers);
const correct = (memory: TestMemory, entryId: string, rawEntry: string) =>
  memory.call("POST", `/entries/${entryId}/corrections`, { rawEntry });

async function found(memory: TestMemory, query: string, more = {}): Promise<string[]> {
  const { entries } = await memory.call("POST", "/search", { query, ...more });
  return entries.map(({ entry }: { entry: { rawEntry: string } }) => entry.rawEntry);
}

function becomes(memory: TestMemory, entryId: string, fields: Record<string, unknown>): Promise<void> {
  const read = () => memory.call("GET", `/entries/${entryId}`);
  return expect.poll(read, { timeout: 20_000 }).toMatchObject(fields);
}

const captures = async (memory: TestMemory): Promise<string[]> => {
  const bodies = (await memory.model.requests()).map(({ body }) => JSON.stringify(body));
  return bodies.filter((body) => body.includes("PROCESS_MESSAGE"));
};

describe("an entry that is written directly", () => {
  it("gets a model's summary and tags, and keeps the tags that its writer gave", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(addEntryReply("Ada owns a schooner.", { topic: "boats", kind: "fact" }));
    const { entryId } = await write(memory, "Mine has two masts.", { tags: { kind: "note" } });
    const tags = { topic: "boats", kind: "note" };
    await becomes(memory, entryId, { summary: "Ada owns a schooner.", summarySource: "model", tags });
    expect(await found(memory, "schooner")).toEqual(["Mine has two masts."]);
  });

  it("keeps the summary that its writer gave, and no model is asked", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(addEntryReply("By the model."));
    const given = await write(memory, "One.", { summary: "By hand." });
    const other = await write(memory, "Two.");
    await becomes(memory, other.entryId, { summarySource: "model" });
    await becomes(memory, given.entryId, { summary: "By hand.", summarySource: "given" });
    expect(await captures(memory)).toHaveLength(1);
  });

  it("is summarised once, however often it is sent", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ ...addEntryReply("Once."), repeat: true });
    const key = { "idempotency-key": "k" };
    const { entryId } = await write(memory, "Said.", {}, key);
    await becomes(memory, entryId, { summarySource: "model" });
    await write(memory, "Said.", {}, key);
    const { entryId: later } = await write(memory, "Said later.");
    await becomes(memory, later, { summarySource: "model" });
    expect(await captures(memory)).toHaveLength(2);
  });

  it("is stored while the model is down, and summarised once it is back", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ status: 401, repeat: true });
    const { entryId } = await write(memory, "Mine has two masts.");
    await expect.poll(async () => (await captures(memory)).length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await found(memory, "masts")).toHaveLength(1);
    await memory.model.clear();
    await memory.model.reply({ ...addEntryReply("Ada owns a schooner."), repeat: true });
    vi.setSystemTime(Date.now() + 120_000);
    await expect
      .poll(
        async () => {
          await runDurableObjectAlarm(memory.object(""));
          return (await memory.call("GET", `/entries/${entryId}`)).summarySource;
        },
        { timeout: 20_000 },
      )
      .toBe("model");
  });
});

describe("a correction", () => {
  it("is found by the questions that found what it corrects, which is found no more", async () => {
    const memory = await newMemory();
    const old = await write(memory, "I live in Paris.", { occurredAt: "2024-04-01T00:00:00Z" });
    await correct(memory, old.entryId, "It is Lyon.");
    expect(await found(memory, "Where do I live?")).toEqual(["It is Lyon."]);
    expect(await found(memory, "Where do I live?", { asOf: "2024-05-01T00:00:00Z" })).toEqual(["I live in Paris."]);
  });

  it("of a correction is found by what either corrects, and so is a message's", async () => {
    const memory = await newMemory();
    const { messages } = await memory.say(["I live in Paris.", "Noted."]);
    await memory.settled();
    const second = await correct(memory, messages[0].entryId, "It is Lyon.");
    await correct(memory, second.entryId, "No, Nantes.");
    expect(await found(memory, "Where do I live?")).toEqual(["No, Nantes."]);
    expect(await found(memory, "Lyon")).toEqual(["No, Nantes."]);
  });

  it("stays findable by them when its tags or its summary change", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ ...addEntryReply("A city was named."), repeat: true });
    const old = await write(memory, "I live in Paris.");
    const corrected = await correct(memory, old.entryId, "It is Lyon.");
    await becomes(memory, corrected.entryId, { summarySource: "model" });
    await memory.call("PATCH", `/entries/${corrected.entryId}`, { tags: { topic: "home" } });
    expect(await found(memory, "Where do I live?")).toEqual(["It is Lyon."]);
  });

  it("is summarised by a model that is shown what it corrects", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ ...addEntryReply("The user lives in Lyon."), repeat: true });
    const old = await write(memory, "I live in Paris.");
    await becomes(memory, old.entryId, { summarySource: "model" });
    const { entryId } = await correct(memory, old.entryId, "It is Lyon.");
    await becomes(memory, entryId, { summary: "The user lives in Lyon.", summarySource: "model" });
    const prompt = (await captures(memory)).at(-1);
    expect(prompt).toMatch(/<corrected_message .*I live in Paris\..*<current_message .*It is Lyon\./);
  });

  it("keeps nothing of what it corrects once that is deleted", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ ...addEntryReply("Moved from Montmartre to Lyon."), repeat: true });
    const old = await write(memory, "My flat stands in Montmartre, near the windmill.");
    const middle = await correct(memory, old.entryId, "It is Lyon.");
    const last = await correct(memory, middle.entryId, "It is Nantes.");
    for (const { entryId } of [middle, last]) await becomes(memory, entryId, { summarySource: "model" });
    expect(await found(memory, "windmill")).toEqual(["It is Nantes."]);
    await memory.model.clear();
    await memory.model.reply({ ...addEntryReply("A town was named."), repeat: true });
    await memory.call("DELETE", `/entries/${old.entryId}`);
    expect(await found(memory, "windmill flat Montmartre")).toEqual([]);
    for (const { entryId } of [middle, last]) {
      const row = await env.DB.prepare("SELECT * FROM entries WHERE entry_id = ?").bind(entryId).first();
      expect(JSON.stringify(row)).not.toMatch(/windmil|montmartr/i);
      await becomes(memory, entryId, { summary: "A town was named.", summarySource: "model" });
    }
    expect(await found(memory, "Lyon")).toEqual(["It is Nantes."]);
  });
});
