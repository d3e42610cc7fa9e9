import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { composeServices } from "../../../src/composition/services.js";
import { eventually } from "../../support/eventually.js";
import { addEntryReply, newMemory, numbered, putContextReply, type TestMemory } from "../../support/memory.js";
import { tracesInD1, tracesInThread } from "../../support/traces.js";

const secret = "Karfunkelstein";

const inD1 = () => tracesInD1([secret]);
const inObject = (memory: TestMemory, threadId = "main") => tracesInThread(memory, threadId, [secret]);

describe("a deleted entry", () => {
  it("is in no row, index, context, thread or outbox any more; and stays away, whatever is delivered late", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(
      addEntryReply(`The user spoke of ${secret}.`, { topic: secret }),
      { ...addEntryReply(`It went on about ${secret}.`, { topic: secret }), repeat: 5 },
      putContextReply(`## Facts\n- The user owns ${secret}.\n- The user has a cat.`),
    );
    const said = await memory.say([`I own ${secret}.`, ...numbered(5, 2)]);
    await memory.settled("context");
    expect((await inD1()).length).toBeGreaterThan(3);
    expect((await inObject(memory)).length).toBeGreaterThan(0);

    const { entryId } = said.messages[0];
    expect((await memory.tenant.call("DELETE", `${memory.path}/entries/${entryId}`)).status).toBe(204);
    expect(await inD1()).toEqual([]);
    expect(await inObject(memory)).toEqual([]);
    expect((await memory.tenant.call("GET", `${memory.path}/entries/${entryId}`)).status).toBe(404);
    expect((await memory.tenant.call("DELETE", `${memory.path}/entries/${entryId}`)).status).toBe(404);
    expect(await memory.entries()).toHaveLength(5);
    expect((await memory.tenant.call("GET", `${memory.path}/contexts/1`)).body).toMatchObject({
      source: "erased",
      document: "",
    });

    await env.FLUSHES.send({
      tenantId: memory.tenant.tenantId,
      memoryId: memory.memoryId,
      threadId: "main",
      fromSeq: 1,
      toSeq: 6,
    });
    await runDurableObjectAlarm(memory.object());
    await memory.model.reply({ ...addEntryReply("Written again."), repeat: true });
    await memory.say(["Later."]);
    await memory.settled();
    expect(await inD1()).toEqual([]);
    expect(await memory.entries()).toHaveLength(6);
  });

  it("is not written by a capture that was under way", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply({ ...addEntryReply(`About ${secret}.`), hold: "model" });
    const said = await memory.say([`I own ${secret}.`]);
    await memory.model.until({ requests: 1 });
    const { entryId } = said.messages[0];
    expect((await memory.tenant.call("DELETE", `${memory.path}/entries/${entryId}`)).status).toBe(204);
    await memory.model.release("model");
    await memory.model.reply({ ...addEntryReply("Another."), repeat: true });
    await memory.say(["Another."]);
    await memory.settled();
    expect(await memory.entries()).toMatchObject([{ rawEntry: "Another." }]);
    expect(await inD1()).toEqual([]);
    expect(await inObject(memory)).toEqual([]);
  });

  it("is not brought back by another thread's synthesis that had seen it", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(
      { ...addEntryReply("Something."), repeat: 6 },
      putContextReply(`## Facts\n- The user owns ${secret}.`),
    );
    const said = await memory.say([`I own ${secret}.`, ...numbered(5, 2)]);
    await memory.settled("context");
    await memory.model.reply(
      { ...addEntryReply("Something."), repeat: 6 },
      { ...putContextReply(`## Facts\n- They said ${secret} was theirs.`), hold: "synthesis" },
    );
    await memory.say(numbered(6), "other");
    await memory.model.until({ requests: 14, open: 1 });
    await memory.tenant.call("DELETE", `${memory.path}/entries/${said.messages[0].entryId}`);
    await memory.model.reply({ ...putContextReply("## Facts\n- Nothing of note."), repeat: true });
    await memory.model.release("synthesis");
    await memory.settled("context", "other");
    expect(await inD1()).toEqual([]);
    expect(await inObject(memory, "other")).toEqual([]);
  });

  it("is not written by another thread's synthesis, which takes in entries without a conversation too", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(
      { ...addEntryReply("Something."), repeat: 6 },
      { ...putContextReply(`## Facts\n- The user owns ${secret}.`), hold: "synthesis" },
    );
    const { entryId } = await memory.call("POST", "/entries", { rawEntry: `I own ${secret}.` });
    await memory.say(numbered(6));
    await memory.model.until({ requests: 7, open: 1 });
    await memory.call("DELETE", `/entries/${entryId}`);
    await memory.model.reply({ ...putContextReply("## Facts\n- Nothing of note."), repeat: true });
    await memory.model.release("synthesis");
    await memory.settled("context");
    expect(await memory.context()).toMatchObject({ document: "## Facts\n- Nothing of note." });
    expect(await inD1()).toEqual([]);
    expect(await inObject(memory)).toEqual([]);
  });

  it("is not repeated by what a model wrote of another thread's message with the context in view", async () => {
    const memory = await newMemory("scripted");
    await memory.model.reply(
      { ...addEntryReply("Something."), repeat: 6 },
      putContextReply(`## Facts\n- The user owns ${secret}.`),
      addEntryReply(`The user is glad about ${secret}.`, { topic: secret, mood: "glad" }),
      addEntryReply("The user has a cat."),
      { ...addEntryReply(`It goes on about ${secret}.`), hold: "capture" },
    );
    const said = await memory.say([`I own ${secret}.`, ...numbered(5, 2)]);
    await memory.settled("context");
    await memory.say(["I am glad of it."], "other");
    await memory.settled("indexed", "other");
    await memory.say(["I have a cat."], "another");
    await memory.settled("indexed", "another");
    await memory.say(["Still glad."], "under-way");
    await memory.model.until({ open: 1 });

    await memory.model.reply({ ...addEntryReply("Written again."), repeat: true });
    await memory.call("DELETE", `/entries/${said.messages[0].entryId}`);
    expect(await inD1()).toEqual([]);
    await memory.model.release("capture");
    await memory.settled("indexed", "under-way");
    expect(await inD1()).toEqual([]);
    for (const threadId of ["main", "other", "another", "under-way"]) {
      expect(await inObject(memory, threadId)).toEqual([]);
    }
    await eventually(async () =>
      expect(await memory.entries("&threadId=other")).toMatchObject([{ summary: "Written again." }]),
    );
    // What doesn't repeat it stays as it was.
    expect(await memory.entries("&threadId=another")).toMatchObject([{ summary: "The user has a cat." }]);
  });

  it("is not gone on with by another thread's work that was interrupted", async () => {
    const memory = await newMemory();
    const { entryId } = await memory.call("POST", "/entries", { rawEntry: `I own ${secret}.` });
    await memory.say(["Hello."], "other");
    await memory.settled("indexed", "other");
    // What a model had answered when the other thread's object died.
    await runInDurableObject(memory.object("other"), (_object, state) => {
      state.storage.sql.exec(
        "INSERT INTO journal (work, step, kind, attempts, result, begun_at, ended_at) VALUES ('entry/2', 'model/0', 'model', 1, ?, 0, 0)",
        JSON.stringify({ summary: secret }),
      );
    });
    await memory.call("DELETE", `/entries/${entryId}`);
    await memory.say(["Hello again."], "other");
    await memory.settled("indexed", "other");
    expect(await inObject(memory, "other")).toEqual([]);
  });

  it("is withdrawn from what was written with it in view, also when its deletion is interrupted, or that is written meanwhile", async () => {
    for (const at of ["before", "after"] as const) {
      const memory = await newMemory("scripted");
      await memory.model.reply(addEntryReply(`About ${secret}.`), { ...addEntryReply("Written again."), repeat: true });
      const { entryId } = await memory.call("POST", "/entries", { rawEntry: `I own ${secret}.` });
      const write = async () => {
        await memory.say(["Fine."], "other");
        await memory.settled("indexed", "other");
      };
      if (at === "before") await write();
      // D1 as the deletion sees it, in the moment in which the entry goes.
      const during = async <T>(batch: () => Promise<T>): Promise<T> => {
        if (at === "after") await write();
        const done = await batch();
        if (at === "before") throw new Error("died here");
        return done;
      };
      const withSession = (begun?: string): D1DatabaseSession => {
        const session = env.DB.withSession(begun);
        return {
          prepare: (query) => session.prepare(query),
          batch: <T>(statements: D1PreparedStatement[]) => during(() => session.batch<T>(statements)),
          getBookmark: () => session.getBookmark(),
        };
      };
      const db = new Proxy(env.DB, {
        get: (target, name) => (name === "withSession" ? withSession : Reflect.get(target, name)),
      });
      const { memory: service } = composeServices({ ...env, DB: db });
      const ref = await service.memory(memory.tenant.tenantId, memory.memoryId);
      if (!ref.ok) throw new Error("the memory isn't there");
      const deleted = service.deleteEntry(ref.value, entryId);
      if (at === "before") await expect(deleted).rejects.toThrow("died here");
      else expect(await deleted).toMatchObject({ ok: true });
      if (at === "before") await memory.call("DELETE", `/entries/${entryId}`).catch(() => undefined);
      expect(await inD1()).toEqual([]);
    }
  });

  it("is in no answer that is kept for an Idempotency-Key", async () => {
    const memory = await newMemory();
    const { entryId } = await memory.call("POST", "/entries", { rawEntry: `I own ${secret}.` });
    const ask = () => memory.call("POST", "/search", { query: secret }, { "idempotency-key": "same" });
    expect((await ask()).entries).toHaveLength(1);
    await memory.tenant.call("DELETE", `${memory.path}/entries/${entryId}`);
    expect((await ask()).entries).toEqual([]);
    expect(await inD1()).toEqual([]);
  });

  it("that was added without a conversation goes as completely", async () => {
    const memory = await newMemory();
    const key = { "idempotency-key": "k" };
    const { entryId } = await memory.call("POST", "/entries", { rawEntry: `${secret}!`, tags: { t: secret } }, key);
    await memory.tenant.call("DELETE", `${memory.path}/entries/${entryId}`);
    expect(await inD1()).toEqual([]);
    const again = await memory.tenant.call(
      "POST",
      `${memory.path}/entries`,
      { rawEntry: `${secret}!`, tags: { t: secret } },
      key,
    );
    expect(again.status).toBe(409);
  });
});

it("tells whoever waits for a thread of a deleted memory at once that there is none", async () => {
  const memory = await newMemory();
  await memory.say(numbered(1));
  await memory.settled();
  const wanted = { threadId: "main", seq: 9, level: "indexed", timeoutMs: 60_000 };
  const waiting = memory.tenant.call("POST", `${memory.path}/await-consistency`, wanted);
  // Whichever comes first.
  await memory.tenant.call("DELETE", memory.path);
  expect((await waiting).status).toBe(404);
});
