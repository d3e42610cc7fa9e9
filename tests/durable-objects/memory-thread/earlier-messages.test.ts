/** A flush takes in what came since the last one; what that answers was said before. */
import { describe, expect, it } from "vitest";
import { newMemory, numbered, putContextReply, type TestMemory } from "../../support/memory.js";

const question = "Good to hear from you. Which city did you move to?";

/** A session whose first flush ends with a question of the assistant's. */
async function asked(memory: TestMemory, thread = "main"): Promise<{ entryId: string }[]> {
  const { messages } = await memory.say(["I have moved.", question], thread);
  await memory.end(thread);
  await memory.settled("context", thread);
  return messages;
}

async function answered(memory: TestMemory, thread = "main"): Promise<string> {
  await memory.say(["Lyon."], thread);
  await memory.end(thread);
  await memory.settled("context", thread);
  return (await memory.context()).document;
}

/** The prompts of the flushes so far, oldest first. */
async function synthesisPrompts(memory: TestMemory): Promise<string[]> {
  const bodies = (await memory.model.requests()).map(({ body }) => JSON.stringify(body));
  return bodies.filter((body) => body.includes("CONTEXT_SYNTHESIS"));
}

describe("an answer whose question was flushed before", () => {
  it("stands in the context with its question, where there is no model", async () => {
    const memory = await newMemory();
    await asked(memory);
    expect(await answered(memory)).toMatch(/user: Lyon\. \(answers: Which city did you move to\?\) \[extract\]/);
  });

  it("is shown to the model with what was said before, as covered already", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ remembers: "cites", repeat: true });
    await asked(memory);
    await answered(memory);
    const [first, second] = await synthesisPrompts(memory);
    expect(first).not.toContain("<earlier_messages kind");
    expect(second).toMatch(
      /<earlier_messages kind=.{0,3}already covered.*\[e2\] .*Which city did you move to\?.*<session>/,
    );
    expect(second?.split("<session>").at(-1)).not.toContain("Which city");
  });

  it("is shown so in an entry that was written directly, too", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ remembers: "cites", repeat: true });
    const lines = [...numbered(5), question, "Lyon.", ...numbered(5, 6)];
    for (const [at, rawEntry] of lines.entries()) {
      await memory.call("POST", "/entries", { rawEntry, role: at % 2 === 0 ? "user" : "assistant" });
      if (at === 5) await expect.poll(async () => (await memory.context()).version, { timeout: 20_000 }).toBe(1);
    }
    await expect.poll(async () => (await memory.context()).coverage, { timeout: 20_000 }).toEqual({ "": 12 });
    const prompt = (await synthesisPrompts(memory)).at(-1);
    expect(prompt).toMatch(/<earlier_messages .*Which city did you move to\?.*<session>.*Lyon\./);
  });

  it("goes from the context with its question, where it rests on both", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(
      { remembers: "cites" },
      { remembers: "cites" },
      putContextReply("## Facts\n- Something was said. [from 1]"),
      { remembers: "cites" },
      putContextReply("## Facts\n- Something was said. [from c1]\n- Has a new home in Lyon. [from 1, e2]"),
    );
    const [, asking] = await asked(memory);
    expect(await answered(memory)).toContain("- Has a new home in Lyon.");
    await memory.model.clear();
    await memory.model.reply({ remembers: "cites", repeat: true });
    await memory.call("DELETE", `/entries/${asking?.entryId}`);
    expect((await memory.call("GET", "/contexts/2")).document).not.toContain("new home");
    // What the answer says by itself is taken in again.
    await memory.settled("context");
    await expect.poll(async () => (await memory.context()).document, { timeout: 20_000 }).toContain("Lyon.");
  });

  it("is shown no more of what was said before, however long the conversation is", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ remembers: "cites", repeat: true });
    await memory.say(numbered(36));
    await memory.settled("context");
    await memory.say(numbered(6, 37));
    await memory.settled("context");
    const prompt = (await synthesisPrompts(memory)).at(-1) ?? "";
    const block = prompt.slice(prompt.indexOf("<earlier_messages kind"), prompt.indexOf("</earlier_messages"));
    expect(block).toContain("Message 36.");
    expect(block).toContain("Message 27.");
    expect(block).not.toContain("Message 26.");
  });

  it("goes with its question where it is corrected and there is no model", async () => {
    const memory = await newMemory();
    await asked(memory);
    await answered(memory);
    const [, , answer] = await memory.entries();
    await memory.call("POST", `/entries/${answer?.entryId}/corrections`, { rawEntry: "I mean Nantes." });
    await expect.poll(async () => (await memory.context()).document, { timeout: 20_000 }).toContain("Nantes");
    expect((await memory.context()).document).not.toContain("Lyon");
  });
});
