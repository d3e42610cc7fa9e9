import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { eventually } from "../../support/eventually.js";
import { runHousekeeping } from "../../support/housekeeping.js";
import { newMemory, numbered } from "../../support/memory.js";

afterEach(() => vi.useRealTimers());

it("takes entries without a conversation into the context by themselves, at the sixth of them", async () => {
  const memory = await newMemory();
  for (const rawEntry of numbered(5)) await memory.call("POST", "/entries", { rawEntry });
  expect(await memory.context()).toMatchObject({ version: 0 });
  const { entryId } = (await memory.entries())[0] ?? {};
  // A correction is such an entry too.
  await memory.call("POST", `/entries/${entryId}/corrections`, { rawEntry: "Message 1, corrected." });
  await eventually(async () => expect(await memory.context()).toMatchObject({ version: 1, coverage: { "": 6 } }));
  expect((await memory.context()).document).toContain("Message 1, corrected.");
});

it("takes in what is left of them when nothing more comes", async () => {
  const memory = await newMemory();
  await memory.call("POST", "/entries", { rawEntry: "The key is under the mat." });
  vi.setSystemTime(Date.now() + 31 * 60_000);
  await runDurableObjectAlarm(memory.object(""));
  await eventually(async () => expect((await memory.context()).document).toContain("under the mat"));
});

it("erases expired entries for good", async () => {
  const memory = await newMemory();
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const { entryId } = await memory.call("POST", "/entries", { rawEntry: "The code is 4711.", expiresAt });
  await memory.call("POST", "/entries", { rawEntry: "The door is green." });
  await runHousekeeping();
  expect(await memory.entries()).toHaveLength(2);
  vi.setSystemTime(Date.now() + 120_000);
  await runHousekeeping();
  const row = await env.DB.prepare("SELECT raw_entry, index_terms FROM entries WHERE entry_id = ?")
    .bind(entryId)
    .first();
  expect(row).toEqual({ raw_entry: "", index_terms: "" });
  expect((await memory.entries()).map(({ rawEntry }) => rawEntry)).toEqual(["The door is green."]);
});

it("asks every thread when it is asked about a whole memory", async () => {
  const memory = await newMemory();
  const threads = ["monday", "tuesday", "wednesday"];
  for (const thread of threads) await memory.say(["Hello."], thread);
  const { reached, watermarks } = await memory.call("POST", "/await-consistency", {
    level: "indexed",
    timeoutMs: 60_000,
  });
  expect(reached).toBe(true);
  expect(Object.keys(watermarks.threads).sort()).toEqual(threads);
});
