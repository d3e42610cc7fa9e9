import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { maxChanges } from "../../../durable-objects/chat-session/message-versions.js";
import type { ChatSession } from "../../../durable-objects/chat-session/object.js";
import { linkText, type MessageVersion } from "../../../src/chat/message-version.js";
import { sha256Hex } from "../../../src/platform/digest.js";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { newMemory } from "../../support/memory.js";

const hush = { match: { type: "phrases", phrases: ["Rosebud"] }, action: "redact", reason: "a secret word" };

async function conversation(fields = {}, tenant?: TestTenant) {
  const of = tenant ?? (await newTenant());
  await of.rules("privacy", [hush]);
  const model = await of.agent("assistant", { supervisors: ["privacy"] });
  const session = await of.session(fields);
  const at = (messageId: string | undefined, path: string) => `/v1/sessions/${session}/messages/${messageId}${path}`;
  const versions = async (messageId: string | undefined, as = of): Promise<MessageVersion[]> =>
    (await as.call("GET", at(messageId, "/versions"))).body.items;
  const edit = async (messageId: string | undefined, turnId: string | undefined, content: string) =>
    of.call("POST", at(messageId, "/edits"), {
      operations: [{ type: "modify_turn", turnId, content }],
      baseHash: (await versions(messageId)).at(-1)?.hash || "none",
    });
  const restore = (messageId: string | undefined, version: number, as = of) =>
    as.call("POST", at(messageId, `/versions/${version}/restore`));
  const erase = (messageId: string | undefined, as = of) => as.call("POST", at(messageId, "/erase"));
  const transcript = async () => JSON.stringify((await of.call("GET", `/v1/sessions/${session}/messages`)).body.items);
  return { tenant: of, model, session, versions, edit, restore, erase, transcript };
}

/** Whether every link is the digest of its version and of the link before it. */
async function holds(versions: readonly MessageVersion[]): Promise<boolean> {
  let before = "";
  for (const version of versions) {
    if ((await sha256Hex(linkText(before, version))) !== version.chain) return false;
    before = version.chain;
  }
  return versions.length > 0;
}

/** Everything that a session's object has stored, and D1. */
async function everythingStored(tenant: TestTenant, session: string): Promise<string> {
  const inObject = await runInDurableObject(tenant.object(session), (_, { storage: { sql } }) =>
    sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray()
      .map(({ name }) => sql.exec(`SELECT * FROM "${name}"`).toArray()),
  );
  const inD1 = await env.DB.batch(
    ["sessions", "asks", "audit"].map((table) => env.DB.prepare(`SELECT * FROM ${table}`)),
  );
  return JSON.stringify([inObject, inD1.map(({ results }) => results)]);
}

describe("the versions of a message", () => {
  it("are limited: a message that was changed a hundred times can't be changed again, and can be erased", async () => {
    const { tenant, model, session, versions, restore, erase } = await conversation();
    await model.reply({ text: "Of course." });
    const messageId = (await tenant.say(session, "Say it.")).message?.messageId;
    expect((await restore(messageId, 1)).status).toBe(200);
    await runInDurableObject(tenant.object(session), (_, { storage: { sql } }) => {
      const again = `INSERT INTO message_edits (message_id, body, kind, author, reason, at)
        SELECT message_id, body, kind, author, reason, at FROM message_edits ORDER BY seq DESC LIMIT 1`;
      for (let change = 2; change < maxChanges; change++) sql.exec(again);
    });
    expect((await restore(messageId, 1)).status).toBe(200);
    expect(await restore(messageId, 1)).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect(await versions(messageId)).toHaveLength(maxChanges + 1);
    expect((await erase(messageId)).status).toBe(200);
  });

  it("are made at once of several messages: what is done to one doesn't make another one look changed", async () => {
    const { tenant, model, session, edit } = await conversation();
    const turns = [];
    for (const text of ["One.", "Two.", "Three."]) {
      // A call has its fields in another order when it is made than when it is read.
      await model.reply({ toolCalls: [{ name: "look_up", arguments: { b: 1, a: 2 } }] }, { text });
      turns.push(await tenant.say(session, "Go on."));
    }
    const edits = turns.map(({ reply }) => edit(reply?.messageId, reply?.modelReply.turns.at(-1)?.turnId, "Changed."));
    expect((await Promise.all(edits)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("say who made it what it is, by which verdict, why, and what is different, in a chain of digests", async () => {
    const { tenant, model, session, versions, edit } = await conversation();
    await model.reply({ text: "It is Rosebud." });
    const turn = await tenant.say(session, "Say Rosebud.");
    await edit(turn.reply?.messageId, turn.reply?.modelReply.turns[0]?.turnId, "I may not say.");

    const sent = await versions(turn.message?.messageId);
    expect(sent).toMatchObject([
      {
        version: 1,
        author: { kind: "key", role: "admin" },
        decision: "original",
        message: { content: "Say Rosebud." },
      },
      {
        version: 2,
        author: { kind: "supervisor", id: "privacy" },
        decision: "modify",
        reasons: ["a secret word"],
        message: { content: "Say [redacted]." },
        diff: expect.arrayContaining([{ removed: "Rosebud" }]),
      },
    ]);
    const { body } = await tenant.call("GET", `/v1/sessions/${session}/supervision`);
    expect(body.items[0].steps[0]).toMatchObject({ beforeHash: sent[0]?.hash, afterHash: sent[1]?.hash });

    const answered = await versions(turn.reply?.messageId);
    expect(answered.map(({ author, decision }) => [author?.kind, decision])).toEqual([
      ["agent", "original"],
      ["supervisor", "modify"],
      ["key", "edited"],
    ]);
    expect(await holds(sent)).toBe(true);
    expect(await holds(answered)).toBe(true);
  });

  it("show originals to operators alone", async () => {
    const { tenant, model, session, versions } = await conversation();
    await model.reply({ text: "Yes." });
    const turn = await tenant.say(session, "Say Rosebud.");
    const seen = await versions(turn.message?.messageId, await tenant.withRole("client"));
    expect(seen).toMatchObject([
      { decision: "original" },
      { decision: "modify", message: { content: "Say [redacted]." } },
    ]);
    expect(JSON.stringify(seen)).not.toContain("Rosebud");
  });
});

describe("restoring a version of a message", () => {
  it("makes a new version of it, which everybody sees and later turns read", async () => {
    const { tenant, model, session, versions, edit, restore, transcript } = await conversation();
    await model.reply({ text: "Ada owns it." }, { text: "Sure." });
    const turn = await tenant.say(session, "Whose is it?");
    const id = turn.reply?.messageId;
    await edit(id, turn.reply?.modelReply.turns[0]?.turnId, "Nobody owns it.");

    const restored = await restore(id, 1);
    expect(restored).toMatchObject({ status: 200, body: { version: 3, decision: "restored", reasons: ["version 1"] } });
    expect(await transcript()).toContain("Ada owns it.");
    expect(JSON.stringify(await tenant.turn(session, turn.turnId))).toContain("Ada owns it.");
    await tenant.say(session, "Sure?");
    expect(JSON.stringify((await model.requests()).at(-1)?.body)).toContain("Ada owns it.");
    expect((await versions(id)).map(({ hash }) => hash)).toEqual([
      restored.body.hash,
      expect.not.stringContaining(restored.body.hash),
      restored.body.hash,
    ]);
  });

  it("of a user's message too; the rules that nobody may pass look at it again", async () => {
    const { tenant, model, session, restore, transcript } = await conversation();
    await model.reply({ text: "Yes." });
    const turn = await tenant.say(session, "Say Rosebud.");
    expect((await restore(turn.message?.messageId, 1)).body.message.content).toBe("Say [redacted].");
    await tenant.rules("privacy", [{ ...hush, action: "block" }]);
    expect((await restore(turn.message?.messageId, 1)).status).toBe(422);
    await tenant.rules("privacy", [{ ...hush, match: { type: "phrases", phrases: ["else"] } }]);
    expect((await restore(turn.message?.messageId, 1)).body.message.content).toBe("Say Rosebud.");
    expect(await transcript()).toContain("Say Rosebud.");
  });

  it("is refused of what was blocked, of what isn't there, and to clients", async () => {
    const { tenant, model, session, restore } = await conversation();
    await model.reply({ text: "Yes." });
    const turn = await tenant.say(session, "Hello.");
    await tenant.rules("privacy", [{ ...hush, action: "block" }]);
    const blocked = await tenant.say(session, "Say Rosebud.");
    expect((await restore(blocked.message?.messageId, 1)).status).toBe(409);
    expect((await restore(turn.message?.messageId, 2)).status).toBe(404);
    expect((await restore("msg_none", 1)).status).toBe(404);
    expect((await restore(turn.message?.messageId, 1, await tenant.withRole("client"))).status).toBe(403);
    expect((await restore(turn.message?.messageId, 1, await newTenant())).status).toBe(404);
  });
});

describe("erasing a message", () => {
  it("takes its text, its originals and its salt from everywhere, and leaves the chain", async () => {
    const { tenant, model, session, versions, restore, edit, erase, transcript } = await conversation();
    await tenant.rules("hold", [
      { match: { type: "phrases", phrases: ["harbour"] }, action: "review", reason: "look" },
    ]);
    await tenant.put("agents", "assistant", {
      kind: "model",
      model: `openai/${model.model}`,
      instructions: "Be helpful.",
      supervisors: ["privacy", "hold"],
    });
    await model.reply({ text: "The harbour, says Rosebud." }, { text: "Well." });
    const waiting = await tenant.say(session, "At the harbour, Rosebud?", {}, { "idempotency-key": "k" });
    expect(waiting.status).toBe("waiting");
    await tenant.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, { decision: "accept" });
    const second = await tenant.turn(session, waiting.turnId);
    await tenant.call("POST", `/v1/asks/${second.asks[0]?.askId}/answer`, { decision: "edit", content: "A harbour." });
    await expect.poll(async () => (await tenant.turn(session, waiting.turnId)).status).toBe("completed");
    const turn = await tenant.turn(session, waiting.turnId);
    const ids = [turn.message?.messageId, turn.reply?.messageId];
    const before = await Promise.all(ids.map((id) => versions(id)));

    // An answer that was kept for a key holds the text too.
    const cancel = () =>
      tenant.call("POST", `/v1/sessions/${session}/turns/${turn.turnId}/cancel`, undefined, { "idempotency-key": "c" });
    expect(JSON.stringify((await cancel()).body)).toContain("harbour");

    for (const id of ids) expect(await erase(id)).toMatchObject({ status: 200, body: { decision: "erased" } });
    await evictDurableObject(tenant.object(session));

    await expect.poll(() => everythingStored(tenant, session)).not.toMatch(/Rosebud|harbour/);
    expect(await transcript()).toMatch(/\[erased\].*\[erased\]/);
    for (const [index, id] of ids.entries()) {
      const after = await versions(id);
      expect(await holds(after)).toBe(true);
      expect(after.map(({ chain }) => chain).slice(0, -1)).toEqual(before[index]?.map(({ chain }) => chain));
      expect((await erase(id)).body.chain).toBe(after.at(-1)?.chain);
      expect((await restore(id, 1)).status).toBe(409);
    }
    expect((await edit(ids[1], turn.reply?.modelReply.turns[0]?.turnId, "New.")).status).toBe(409);
    expect((await cancel()).status).toBe(409);
    // Sent again under its key it is still the same turn.
    const again = await tenant.say(session, "At the harbour, Rosebud?", {}, { "idempotency-key": "k" });
    expect(again.turnId).toBe(turn.turnId);
    await tenant.say(session, "And now?");
    expect(JSON.stringify((await model.requests()).at(-1)?.body)).not.toMatch(/Rosebud|harbour|erased/);
  });

  it("reaches the memory", async () => {
    const tenant = await newTenant();
    const memory = await newMemory("offline", tenant);
    const { model, session, edit, erase } = await conversation({ memory: { memoryId: memory.memoryId } }, tenant);
    await model.reply({ text: "The code is bluebottle." });
    const turn = await tenant.say(session, "What is the code?");
    await edit(turn.reply?.messageId, turn.reply?.modelReply.turns[0]?.turnId, "The code is greenbottle.");
    await expect.poll(async () => JSON.stringify(await memory.entries())).toContain("greenbottle");
    await erase(turn.reply?.messageId);
    await expect
      .poll(async () => (await memory.entries()).map(({ rawEntry }) => rawEntry))
      .toEqual(["What is the code?"]);
    expect(JSON.stringify(await memory.thread(session))).not.toMatch(/bottle|erased/);
  });

  it("is the same for two who ask for it at once", async () => {
    const { tenant, model, session, versions } = await conversation();
    await model.reply({ text: "Hello." });
    const { message, turnId } = await tenant.say(session, "Hi.");
    const id = message?.messageId ?? "";
    // In the object itself, so that both are under way at the same time for certain.
    const both = await runInDurableObject(tenant.object(session), (object: ChatSession) =>
      Promise.all([
        object.eraseMessage(id, { kind: "key", id: "a" }),
        object.eraseMessage(id, { kind: "key", id: "b" }),
      ]),
    );
    const last = (await versions(id)).at(-1);
    expect(both.map(({ json }) => JSON.parse(json))).toEqual([
      { ok: true, value: { version: last, turnId } },
      { ok: true, value: { version: last, turnId } },
    ]);
  });

  it("waits for the message's turn, and is not for clients", async () => {
    const { tenant, model, session, erase } = await conversation();
    await tenant.rules("hold", [{ match: { type: "phrases", phrases: ["wait"] }, action: "review", reason: "look" }]);
    await tenant.put("agents", "assistant", {
      kind: "model",
      model: `openai/${model.model}`,
      instructions: "Be helpful.",
      supervisors: ["hold"],
    });
    await model.reply({ text: "Please wait." });
    const waiting = await tenant.say(session, "Hello.");
    const id = waiting.message?.messageId;
    expect((await erase(id)).status).toBe(409);
    await tenant.call("POST", `/v1/sessions/${session}/turns/${waiting.turnId}/cancel`);
    expect((await erase(id, await tenant.withRole("client"))).status).toBe(403);
    expect((await erase(id, await newTenant())).status).toBe(404);
    expect((await erase(id)).status).toBe(200);
  });
});
