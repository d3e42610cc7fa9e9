import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { idleAfterMs } from "../../../src/memory/control.js";
import { flushJobSchema } from "../../../src/memory/memory.js";
import { BulkTurns } from "../../../src/platform/bulk-turns.js";
import type { Fields } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { addEntryReply, newMemory, numbered, putContextReply, restoredTo } from "../../support/memory.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("a memory thread", () => {
  it("makes one entry of each message, byte for byte, with the model's summary and tags", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(addEntryReply("The user said hello.", { topic: "greeting" }));
    const text = "Hello  — \n\ttabs, “quotes”, 👋🏽 and \u0000 too";
    await memory.say([text]);
    await memory.settled();
    expect(await memory.entries()).toMatchObject([
      { rawEntry: text, summary: "The user said hello.", summarySource: "model", tags: { topic: "greeting" }, seq: 1 },
    ]);
  });

  it("takes the message's own beginning for a summary where the model is the offline one", async () => {
    const memory = await newMemory();
    await memory.say(["I moved to Turin.", "How do you like it?"]);
    await memory.settled();
    expect(await memory.entries()).toMatchObject([
      { summary: "I moved to Turin.", summarySource: "extractive" },
      { summary: "How do you like it?", summarySource: "extractive" },
    ]);
    expect((await memory.thread()).degraded).toBe(0);
  });

  it("flushes after six messages and after twelve, and leaves the thirteenth; END covers it, END again does nothing", async () => {
    const memory = await newMemory();
    const said = await memory.say(numbered(13));
    expect(said).toMatchObject({ control: "PROCESS_MESSAGE", lastSeq: 13, requestedSeq: 12 });
    expect(
      said.messages.filter((one: { control: string }) => one.control === "PROCESS_MESSAGE_AND_FLUSH"),
    ).toMatchObject([{ seq: 6 }, { seq: 12 }]);
    await memory.settled("context", "main", 12);
    expect(await memory.context()).toMatchObject({ version: 2, coverage: { main: 12 } });
    expect(await memory.thread()).toMatchObject({ lastSeq: 13, coveredSeq: 12 });

    expect(await memory.end()).toMatchObject({ control: "END_SESSION", flush: { fromSeq: 13, toSeq: 13 } });
    await memory.settled("context");
    expect(await memory.context()).toMatchObject({ version: 3, coverage: { main: 13 } });

    const again = await memory.end();
    expect(again.flush).toBeUndefined();
    expect(await memory.context()).toMatchObject({ version: 3 });
  });

  it("takes several hundred messages at full speed: as many entries, byte for byte, and a context that covers the last", {
    timeout: 120_000,
  }, async () => {
    const memory = await newMemory();
    const turns = vi.spyOn(BulkTurns.prototype, "run");
    const texts = Array.from({ length: 250 }, (_, at) => `Line ${at}: ${"x".repeat(at % 50)} — é日本 ${at * 7}`);
    await memory.start();
    const batches = Array.from({ length: 5 }, (_, at) => texts.slice(at * 50, at * 50 + 50));
    for (const batch of batches) await memory.say(batch);
    await memory.end();
    await memory.settled("context");
    const entries = await memory.entries();
    expect(new Map(entries.map(({ seq, rawEntry }) => [seq, rawEntry]))).toEqual(
      new Map(texts.map((text, at) => [at + 1, text])),
    );
    expect(entries).toHaveLength(250);
    expect((await memory.context()).coverage).toEqual({ main: 250 });
    // Each as a piece of bulk work, of which two are under way at a time and others come in between.
    const pieces = turns.mock.calls.filter(([tenantId]) => tenantId === memory.tenant.tenantId);
    expect(pieces.length).toBeGreaterThanOrEqual(250);
  });

  it("sends its job again when the queue took it and lost it before anything was done", async () => {
    const memory = await newMemory();
    await memory.start();
    const sendBatch = env.FLUSHES.sendBatch.bind(env.FLUSHES);
    const sent = vi.spyOn(env.FLUSHES, "sendBatch");
    // Threads of other tests may still be at work.
    const isOwn = ({ body }: MessageSendRequest) => flushJobSchema.parse(body).memoryId === memory.memoryId;
    const jobs = () => sent.mock.calls.filter(([messages]) => [...messages].some(isOwn)).length;
    sent.mockImplementation(async (messages, options) =>
      jobs() === 1 && [...messages].some(isOwn)
        ? { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
        : sendBatch(messages, options),
    );
    await memory.say(["I moved to Turin."]);
    await eventually(() => expect(jobs()).toBe(1));
    expect(await memory.entries()).toEqual([]);
    vi.setSystemTime(Date.now() + 61_000);
    await runDurableObjectAlarm(memory.object());
    await memory.settled();
    expect(await memory.entries()).toMatchObject([{ rawEntry: "I moved to Turin." }]);
    expect(jobs()).toBe(2);
  });

  it("begins a new memory with version 0 and nothing in it; a second START changes nothing", async () => {
    const memory = await newMemory();
    const first = await memory.start();
    expect(first).toMatchObject({ control: "START_SESSION", lastSeq: 0, recentEntries: [] });
    expect(first.context).toEqual({ version: 0, document: "", coverage: {} });
    await memory.say(["Hello."]);
    await memory.start();
    expect(await memory.thread()).toMatchObject({ epoch: 1, open: true, lastSeq: 1 });
  });

  it("begins a session by itself when a message comes before START", async () => {
    const memory = await newMemory();
    await memory.say(["Hello."]);
    expect(await memory.thread()).toMatchObject({ epoch: 1, open: true, lastSeq: 1 });
  });

  it("loads on START every entry that the context doesn't cover, also of other threads", async () => {
    const memory = await newMemory();
    await memory.say(numbered(8), "one");
    await memory.say(["From the other."], "two");
    await memory.settled("context", "one", 6);
    await memory.settled("indexed", "one");
    await memory.settled("indexed", "two");
    const { context, recentEntries } = await memory.start("three");
    expect(context.coverage).toEqual({ one: 6 });
    expect(recentEntries.map((entry: { rawEntry: string }) => entry.rawEntry).sort()).toEqual([
      "From the other.",
      "Message 7.",
      "Message 8.",
    ]);
  });

  it("ends an idle session by its alarm: the END that never came", async () => {
    const memory = await newMemory();
    await memory.say(["Only this."]);
    await memory.settled();
    vi.setSystemTime(Date.now() + idleAfterMs + 1);
    await runDurableObjectAlarm(memory.object());
    await memory.settled("context");
    expect(await memory.thread()).toMatchObject({ open: false, coveredSeq: 1, state: { control: "END_SESSION" } });
  });

  it("gives the same messages once when they are sent twice with a key, and refuses others under it", async () => {
    const memory = await newMemory();
    const key = { "idempotency-key": "batch-1" };
    const first = await memory.say(numbered(3), "main", key);
    expect(await memory.say(numbered(3), "main", key)).toEqual({ ...first, coveredSeq: 0 });
    const other = await memory.tenant.call(
      "POST",
      `${memory.path}/threads/main/messages`,
      { role: "user", content: "Other." },
      key,
    );
    expect(other).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
    await memory.settled();
    expect(await memory.entries()).toHaveLength(3);
  });

  it("answers before any model does: appending doesn't wait", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ ...addEntryReply("Later."), hold: "model" });
    expect(await memory.say(["Now."])).toMatchObject({ lastSeq: 1 });
    expect((await memory.thread()).indexedSeq).toBe(0);
    await memory.model.release("model");
    await memory.settled();
  });

  it("makes one entry of each message, also when it died after writing them and before it noted that", async () => {
    const memory = await newMemory();
    await memory.say(numbered(5));
    await memory.settled();
    const before = await memory.entries();
    await runInDurableObject(memory.object(), (_object, state) => {
      state.storage.sql.exec("UPDATE messages SET captured = 0");
      state.storage.sql.exec("UPDATE thread SET indexed_seq = 0");
    });
    await memory.say(["Message 6."]);
    await memory.settled("context");
    expect((await memory.entries()).slice(0, 5)).toEqual(before);
    expect(await memory.entries()).toHaveLength(6);
  });

  it("writes no context before the entries that it claims are there", async () => {
    const memory = await newMemory();
    const { messages } = await memory.say(numbered(5));
    await memory.settled();
    const move = (threadId: string) =>
      env.DB.prepare("UPDATE entries SET thread_id = ? WHERE entry_id = ?").bind(threadId, messages[2].entryId).run();
    await move("not yet");
    await memory.say(["Message 6."]);
    await eventually(async () =>
      expect((await memory.thread()).failure).toBe("1 entry up to message 6 can't be found yet"),
    );
    expect(await memory.context()).toMatchObject({ version: 0 });
    await move("main");
    await memory.say(["Message 7."]);
    await memory.settled("context", "main", 6);
    expect((await memory.context()).document).toContain("Message 3.");
  });

  it("goes on after a crash in the middle of a capture, and makes one entry", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(
      { ...addEntryReply("Lost."), hold: "never" },
      { ...addEntryReply("The second time."), repeat: true },
    );
    await memory.say(["Hello."]);
    await memory.model.until({ requests: 1 });
    await abortAllDurableObjects();
    await memory.settled();
    expect(await memory.entries()).toMatchObject([{ rawEntry: "Hello.", summary: "The second time." }]);
  });

  it("shows its state, now and as it was after any message", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(
      { ...addEntryReply("Something."), repeat: 6 },
      putContextReply("## Facts\n- All is well."),
    );
    await memory.say(numbered(7));
    await memory.settled("context", "main", 6);
    const now = await memory.thread();
    expect(now.state).toMatchObject({ control: "PROCESS_MESSAGE", to_process: [{ seq: 7 }] });
    expect(now.state.conversation_history).toHaveLength(7);
    expect((await memory.thread("main", "?atSeq=6")).state).toMatchObject({
      control: "PROCESS_MESSAGE_AND_FLUSH",
      to_process: [{ content: "Message 6." }],
    });
    const early = await memory.thread("main", "?atSeq=3");
    expect(early).toMatchObject({ lastSeq: 3, requestedSeq: 0, coveredSeq: 0, open: true });
    expect(early.state.conversation_history).toHaveLength(3);
  });

  it("can be restored to any message, for tests: a new thread goes on as this one did", async () => {
    const memory = await newMemory();
    const later = numbered(60, 14);
    await memory.say(numbered(7));
    await memory.end();
    await memory.start();
    await memory.end();
    await memory.say(numbered(6, 8), "main", { "idempotency-key": "k" });
    await memory.say(later);
    await memory.settled("context", "main", 72);
    const texts = [...numbered(7), ...numbered(6, 8), ...later];
    for (const seq of [3, 6, 7, 13, 70]) {
      const then = await memory.thread("main", `?atSeq=${seq}`);
      const copy = await restoredTo(seq, memory);
      await copy.settled("indexed");
      if (then.requestedSeq > 0) await copy.settled("context", "main", then.requestedSeq);
      const now = await copy.thread();
      const { epoch, lastSeq, requestedSeq, coveredSeq, open } = then;
      expect(now).toMatchObject({ epoch, lastSeq, requestedSeq, coveredSeq, open });
      expect(now.state.control).toBe(then.state.control);
      const said = (message: Fields) => ({ ...message, entryId: "" });
      expect(now.state.conversation_history.map(said)).toEqual(then.state.conversation_history.map(said));
      expect((await copy.entries()).map(({ rawEntry }) => rawEntry)).toEqual(texts.slice(0, seq));
    }
    // It knows what it was told with a key, and goes on from where it is.
    const copy = await restoredTo(13, memory);
    expect(await copy.say(numbered(6, 8), "main", { "idempotency-key": "k" })).toMatchObject({ seq: 13, lastSeq: 13 });
    expect(await copy.say(["Message 14."])).toMatchObject({ control: "PROCESS_MESSAGE", seq: 14 });
    // What it came from has everything that was recorded.
    expect(await memory.entries()).toHaveLength(texts.length);
  });

  it("leaves nothing behind when it is merely asked for", async () => {
    const memory = await newMemory();
    expect((await memory.tenant.call("GET", `${memory.path}/threads/none`)).status).toBe(404);
    const tables = await runInDurableObject(memory.object("none"), (_object, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'thread'").toArray(),
    );
    expect(tables).toEqual([]);
  });
});
