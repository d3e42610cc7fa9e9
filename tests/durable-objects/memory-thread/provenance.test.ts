/** What a context holds after deletions and corrections, as a user meets it. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { composeRootPlatform } from "../../../src/composition/objects.js";
import { eventually } from "../../support/eventually.js";
import { addEntryReply, newMemory, putContextReply, type TestMemory } from "../../support/memory.js";

const facts = (count: number, from = 1) => Array.from({ length: count }, (_, at) => `Fact number ${from + at} holds.`);
const missing = (document: string, all: readonly string[]) => all.filter((fact) => !document.includes(fact));

async function remembering(manner: "cites" | "cites nothing"): Promise<TestMemory> {
  const memory = await newMemory("scripted");
  await memory.model.reply({ remembers: manner, repeat: true });
  return memory;
}

describe("an entry that is deleted early", () => {
  it.each(["cites", "cites nothing"] as const)("takes nothing else along, where the model %s", async (manner) => {
    const memory = await remembering(manner);
    // More than an item of a context names.
    const said = facts(66);
    const { messages } = await memory.say(said);
    await memory.settled("context");
    const { document, version } = await memory.context();
    expect(missing(document, said)).toEqual([]);
    const byHand = { document: `${document}\n\n## Preferences\n- Likes tea.` };
    await memory.call("PUT", "/context", byHand, { "if-match": `"${version}"` });

    await memory.call("DELETE", `/entries/${messages[0].entryId}`);
    await memory.settled("context");
    const after = await memory.context();
    expect(missing(after.document, said.slice(1))).toEqual([]);
    expect(after.document).toContain("- Likes tea.");
    expect(after.document).not.toContain("Fact number 1 holds");
    expect(after.coverage).toMatchObject({ main: 66 });
  });

  it("leaves a context that covers no more than it holds, until the rest is taken in again", async () => {
    const memory = await remembering("cites");
    const { messages } = await memory.say(facts(6));
    await memory.settled("context");
    await memory.say(facts(6, 7));
    await memory.settled("context");
    await memory.model.clear();
    await memory.model.reply({ remembers: "cites", hold: "rebuild", repeat: true });
    await memory.call("DELETE", `/entries/${messages[2].entryId}`);
    await memory.model.until({ open: 1 });
    // The fourth message stood in one item with the third.
    expect(await memory.context()).toMatchObject({ coverage: { main: 3 } });
    const { context, recentEntries } = await memory.start("another");
    expect(context.document).not.toContain("Fact number 4 holds.");
    expect(recentEntries.map(({ rawEntry }: { rawEntry: string }) => rawEntry)).toContain("Fact number 4 holds.");
    const soon = { threadId: "main", level: "context", timeoutMs: 0 };
    expect(await memory.call("POST", "/await-consistency", soon)).toMatchObject({
      reached: false,
      watermarks: { context: 3 },
    });
    await memory.model.release("rebuild");
    await memory.settled("context");
    expect((await memory.context()).document).toContain("Fact number 4 holds.");
    expect(await memory.context()).toMatchObject({ coverage: { main: 12 } });
  });

  it("leaves the rest of every old version, which can be restored", async () => {
    const memory = await remembering("cites");
    const { messages } = await memory.say(facts(6));
    await memory.settled("context");
    await memory.call("PUT", "/context", { document: "## Facts\n- All else was wrong." });
    await memory.call("DELETE", `/entries/${messages[0].entryId}`);
    const old = await memory.call("GET", "/contexts/1");
    expect(missing(old.document, facts(4, 3))).toEqual([]);
    expect(old.document).not.toContain("Fact number 1 holds.");
    expect((await memory.context()).document).toBe("## Facts\n- All else was wrong.");
    await memory.call("POST", "/contexts/1/restore");
    await memory.settled("context");
    expect(missing((await memory.context()).document, facts(5, 2))).toEqual([]);
  });
});

describe("a correction", () => {
  it("reaches the context at once, and is named to the model with what it corrects", async () => {
    const memory = await remembering("cites");
    const old = await memory.call("POST", "/entries", { rawEntry: "I live in Turin." });
    await memory.object("").end();
    await eventually(async () => expect((await memory.context()).document).toContain("I live in Turin."));
    await memory.call("POST", `/entries/${old.entryId}/corrections`, { rawEntry: "It is Lyon." });
    await eventually(async () => expect((await memory.context()).document).toContain("It is Lyon."));
    expect((await memory.context()).document).not.toContain("Turin");
    const prompts = (await memory.model.requests()).map(({ body }) => JSON.stringify(body));
    const last = prompts.findLast((prompt) => prompt.includes("CONTEXT_SYNTHESIS"));
    expect(last).toMatch(/It is Lyon\.\\n\(corrects what was said [^)]*I live in Turin\.\)/);
  });

  it("replaces the old line where there is no model", async () => {
    const memory = await newMemory();
    const { messages } = await memory.say(["I live in Turin.", "I see."]);
    await memory.end();
    await memory.settled("context");
    await memory.call("POST", `/entries/${messages[0].entryId}/corrections`, { rawEntry: "I live in Lyon." });
    await eventually(async () => expect((await memory.context()).document).toContain("I live in Lyon."));
    expect((await memory.context()).document).not.toContain("Turin");
    expect((await memory.context()).document).toContain("I see.");
  });

  it("by an edit of a session's message reaches the context at once, and leaves the rest of it", async () => {
    const memory = await newMemory();
    const link = { tenantId: memory.tenant.tenantId, memoryId: memory.memoryId, threadId: "main" };
    const sessions = composeRootPlatform(env).memory;
    const at = Date.UTC(2026, 0, 1);
    const message = (id: number, content: string) => ({ messageId: `msg_${id}`, role: "user" as const, content });
    await sessions.record(link, message(1, "I live in Turin."), at);
    await sessions.record(link, message(2, "I like tea."), at);
    await memory.end();
    await memory.settled("context");
    await sessions.record(link, message(1, "I live in Trieste."), at, 1);
    await memory.settled("context");
    const { document } = await memory.context();
    expect(document).toContain("I live in Trieste.");
    expect(document).toContain("I like tea.");
    expect(document).not.toContain("Turin");
  });
});

it("a new session's memory agent knows what was said elsewhere and is in no context yet", async () => {
  const memory = await newMemory("scripted");
  await memory.model.reply({ ...addEntryReply("Noted."), repeat: 2 }, putContextReply("## Facts\n- Nothing."));
  await memory.say(["My dog is called Bruno."], "monday");
  await memory.settled("indexed", "monday");
  await memory.say(["He is ill."], "tuesday");
  await memory.settled("indexed", "tuesday");
  const prompt = JSON.stringify((await memory.model.requests()).at(-1)?.body);
  expect(prompt).toMatch(/<other_conversations>.*My dog is called Bruno\..*<current_message.*He is ill\./);
});
