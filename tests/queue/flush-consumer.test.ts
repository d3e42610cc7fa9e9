import { abortAllDurableObjects, createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import worker from "../../src/index.js";
import type { FlushJob } from "../../src/memory/memory.js";
import { consumeFlushes } from "../../src/queue/flush-consumer.js";
import { refuseEntries } from "../support/broken-database.js";
import { addEntryReply, newMemory, numbered, putContextReply, type TestMemory } from "../support/memory.js";

const queue = "conclave-flushes";

function job(memory: TestMemory, threadId = "main", toSeq = 6): FlushJob {
  return { tenantId: memory.tenant.tenantId, memoryId: memory.memoryId, threadId, fromSeq: 1, toSeq };
}

async function deliver(jobs: readonly unknown[], name = queue, attempts = 1) {
  const messages = jobs.map((body, at) => ({
    id: `m${at}-${crypto.randomUUID()}`,
    timestamp: new Date(),
    attempts,
    body,
  }));
  const batch = createMessageBatch(name, messages);
  const ctx = createExecutionContext();
  await worker.queue(batch, env);
  return { result: await getQueueResult(batch, ctx), messages };
}

describe("the queue of flushes", () => {
  it("changes nothing when batches are delivered twice and in reverse", async () => {
    const memory = await newMemory();
    const threads = ["one", "two", "three"];
    await Promise.all(threads.map((thread) => memory.say(numbered(12), thread)));
    const jobs = threads.flatMap((thread) => [job(memory, thread, 6), job(memory, thread, 12)]);
    await Promise.all([deliver(jobs), deliver([...jobs].reverse()), deliver(jobs)]);
    for (const thread of threads) await memory.settled("context", thread);
    await deliver([...jobs].reverse());
    expect(await memory.entries()).toHaveLength(36);
    const { version, coverage } = await memory.context();
    expect(coverage).toEqual({ one: 12, two: 12, three: 12 });
    expect(version).toBe(6);
  });

  it("acknowledges what isn't a job, and jobs of memories that are gone", async () => {
    const memory = await newMemory();
    await memory.say(["Hello."]);
    await memory.settled();
    await memory.tenant.call("DELETE", memory.path);
    const { result } = await deliver([{ nonsense: true }, job(memory), { ...job(memory), memoryId: "mem_none" }]);
    expect(result.explicitAcks).toHaveLength(3);
  });

  it("doesn't let one thread wait for another's model", async () => {
    const [slow, fast] = [await newMemory("scripted"), await newMemory()];
    await slow.model.reply({ ...addEntryReply("Late."), hold: "model" });
    await slow.say(["Slow."]);
    await fast.say(numbered(6));
    await fast.settled("context");
    expect((await slow.thread()).indexedSeq).toBe(0);
    await slow.model.release("model");
    await slow.settled();
  });

  it("works on all threads of a batch at once: one that takes long holds up no other", async () => {
    const begun: string[] = [];
    let end = () => {};
    const held = new Promise<{ more: boolean }>((resolve) => {
      end = () => resolve({ more: false });
    });
    const flush = ({ threadId }: { threadId: string }) => {
      begun.push(threadId);
      return held;
    };
    const jobs = ["a", "b", "a", "c"].map((threadId) => ({
      job: { tenantId: "ten_1", memoryId: "mem_1", threadId, fromSeq: 1, toSeq: 1 },
      message: { id: threadId, body: {}, attempts: 1, ack: () => {}, retry: () => {} },
    }));
    const keepDead = () => Promise.reject(new Error("none of them is dead"));
    const consumed = consumeFlushes(jobs, { flush, keepDead });
    expect(begun).toEqual(["a", "b", "c"]);
    end();
    await consumed;
  });

  it("keeps both of two threads that flush at once in the context", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ ...addEntryReply("Something."), repeat: 10 });
    await memory.say(numbered(5), "one");
    await memory.say(numbered(5), "two");
    await memory.settled("indexed", "one");
    await memory.settled("indexed", "two");
    // Both have read version 0 when the first of them answers.
    const held = (content: string) => ({ ...putContextReply(content), hold: "both" });
    await memory.model.reply(addEntryReply("Something."), held("## Facts\n- From one side."));
    await memory.say(["Sixth."], "one");
    await memory.model.until({ requests: 12, open: 1 });
    await memory.model.reply(addEntryReply("Something."), held("## Facts\n- From the other side."));
    await memory.say(["Sixth."], "two");
    await memory.model.until({ requests: 14, open: 2 });
    await memory.model.release("both");
    await memory.settled("context", "one");
    await memory.settled("context", "two");
    const { document, coverage, version } = await memory.context();
    expect(version).toBe(2);
    expect(document).toContain("From one side.");
    expect(document).toContain("From the other side.");
    expect(coverage).toEqual({ one: 6, two: 6 });
  });

  it("survives crashes at every moment: nothing is lost, nothing is there twice", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ ...addEntryReply("Something."), repeat: true });
    for (let round = 0; round < 4; round++) {
      await memory.say(numbered(5, round * 5 + 1));
      if (round > 0) await memory.model.until({ requests: round * 3 });
      await abortAllDurableObjects();
    }
    await deliver([job(memory)]).catch(() => undefined);
    await memory.settled("context", "main", 18);
    // The last two are in no context yet.
    await memory.settled("indexed");
    const entries = await memory.entries();
    expect(entries.map(({ rawEntry }) => rawEntry).sort()).toEqual(numbered(20).sort());
    expect((await memory.context()).coverage).toEqual({ main: 18 });
  });
});

describe("dead letters", () => {
  it("are kept once, listed with their reason, counted as failures, and sent again", async () => {
    const memory = await newMemory();
    await memory.say(["Hello."]);
    await memory.settled();
    const { messages } = await deliver([job(memory)], queue, 7);
    const again = createMessageBatch(
      queue,
      messages.map((message) => ({ ...message })),
    );
    await worker.queue(again, env);
    const { items } = await memory.call("GET", "/dead-letters");
    expect(items).toMatchObject([{ threadId: "main", toSeq: 6, status: "dead" }]);
    expect(items[0].reason).not.toBe("");

    const waited = await memory.call("POST", "/await-consistency", {
      threadId: "main",
      level: "context",
      timeoutMs: 50,
    });
    expect(waited).toMatchObject({
      reached: false,
      watermarks: { stored: 1, indexed: 1, context: 0 },
      failures: items,
    });

    const retried = await memory.call("POST", `/dead-letters/${items[0].deadLetterId}/retry`, {});
    expect(retried.status).toBe("retried");
    await memory.end();
    const done = await memory.settled("context");
    expect(done.failures).toEqual([]);
  });

  it("come of work that failed every time it was delivered; nothing is lost by it", async () => {
    const memory = await newMemory();
    const letThrough = await refuseEntries(memory.tenant.tenantId);
    await memory.say(numbered(6));
    for (let attempts = 1; attempts <= 6; attempts++) {
      const { result } = await deliver([job(memory)], queue, attempts);
      expect(result.explicitAcks).toEqual([]);
      expect(result.retryMessages).toHaveLength(1);
    }
    // It was repeated five times. The queue delivers it once more, and it isn't tried any more.
    const { result } = await deliver([job(memory)], queue, 7);
    expect(result.explicitAcks).toHaveLength(1);
    const { items } = await memory.call("GET", "/dead-letters");
    expect(items).toMatchObject([{ status: "dead", reason: expect.stringContaining("could not be stored") }]);

    await letThrough();
    await memory.call("POST", `/dead-letters/${items[0].deadLetterId}/retry`, {});
    await memory.settled("context");
    expect((await memory.entries()).map(({ rawEntry }) => rawEntry)).toEqual(numbered(6));
  });

  it("belong to their memory: 404 elsewhere", async () => {
    const [memory, other] = [await newMemory(), await newMemory()];
    await memory.say(["Hello."]);
    await deliver([job(memory)], queue, 7);
    const { items } = await memory.call("GET", "/dead-letters");
    expect((await other.call("GET", "/dead-letters")).items).toEqual([]);
    const retry = await other.tenant.call("POST", `${other.path}/dead-letters/${items[0].deadLetterId}/retry`, {});
    expect(retry.status).toBe(404);
  });
});
