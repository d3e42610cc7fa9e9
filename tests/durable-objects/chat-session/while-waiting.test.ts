/** What becomes of a message while a turn waits for somebody: as the session says, and not as the milliseconds fall. */
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { defined } from "../../../src/conversation/defined.js";
import { type Fields, newTenant, parseEvents, send } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { crash } from "../../support/objects.js";
import { supervisingAgent, toolCalls } from "../supervision/support.js";

const asksCity = { toolCalls: [{ name: "ask_human", arguments: { question: "Which city?" } }] };

/** A session whose turn waits for a person. */
async function waiting(whileWaiting?: string, fields: Fields = {}) {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
  await model.reply(asksCity, { text: "On it." }, { text: "And that too." });
  const session = await tenant.session({ ...defined({ whileWaiting }), ...fields });
  const turn = await tenant.say(session, "Book a hotel.");
  expect(turn.status).toBe("waiting");
  const send = (content: string, headers: Record<string, string> = {}) =>
    tenant.call("POST", `/v1/sessions/${session}/messages`, { content, speaker: "Ada" }, headers);
  const askId = turn.asks[0]?.askId ?? "";
  const answer = (response: string) => tenant.call("POST", `/v1/asks/${askId}/answer`, { response });
  const transcript = async () => (await tenant.call("GET", `/v1/sessions/${session}/messages`)).body.items;
  return { tenant, model, session, turn, askId, send, answer, transcript };
}

describe("a message to a session whose turn waits", () => {
  it("is queued if nothing else is said, answered at once as queued, and comes after the turn", async () => {
    const { tenant, session, send, answer } = await waiting();
    const queued = await send("And a car.");
    expect(queued).toMatchObject({ status: 202, body: { status: "queued" } });
    await answer("Rome");
    expect(await tenant.turn(session, queued.body.turnId)).toMatchObject({
      status: "completed",
      reply: { modelReply: { turns: [{ message: "And that too." }] } },
    });
  });

  it("streams that it is queued, and for what; with `follow` both turns to the end", async () => {
    const { turn, session, tenant, askId, answer } = await waiting();
    const stream = (content: string, follow: boolean) =>
      send("POST", `/v1/sessions/${session}/messages`, {
        key: tenant.key,
        body: { content, follow },
        headers: { accept: "text/event-stream" },
      });
    const plain = parseEvents(await (await stream("And a car.", false)).text());
    const [queued] = plain;
    expect(plain).toHaveLength(1);
    expect(queued).toMatchObject({
      event: "turn.queued",
      data: {
        waitsFor: { turnId: turn.turnId, askIds: [askId], audience: "user" },
        userMessage: "Your message was taken. It comes after your answer to the question before it.",
      },
    });
    const read = await tenant.call("GET", `/v1/sessions/${session}/turns/${queued?.data["turnId"]}`);
    expect(read.body).toMatchObject({ status: "queued", waitsFor: { askIds: [askId] } });

    const followed = await stream("And a boat.", true);
    await answer("Rome");
    const events = parseEvents(await followed.text());
    const told = events
      .filter(({ event }) => /^(turn|ask)\./.test(event))
      .map(({ event, data }) => [event, data["turnId"]]);
    const [own] = told;
    expect(told).toEqual([
      ["turn.queued", own?.[1]],
      ["ask.closed", undefined],
      ["turn.completed", turn.turnId],
      ["turn.started", queued?.data["turnId"]],
      ["turn.completed", queued?.data["turnId"]],
      ["turn.started", own?.[1]],
      ["turn.completed", own?.[1]],
    ]);
    expect(own?.[1]).not.toBe(queued?.data["turnId"]);
  });

  it("hears anew for what it waits once the turn before it has begun to wait, and goes on when it is sent again", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant", { tools: [{ server: "conclave", tool: "ask_human" }] });
    await model.reply({ ...asksCity, hold: "h" }, { text: "On it." }, { text: "And that too." });
    const session = await tenant.session();
    await tenant.say(session, "Book a hotel.", { waitMs: 0 });
    await model.until({ open: 1 });
    const body = { content: "And a car.", follow: true };
    const headers = { accept: "text/event-stream", "idempotency-key": "car" };
    const stream = () => send("POST", `/v1/sessions/${session}/messages`, { key: tenant.key, body, headers });
    const first = await stream();
    await model.release("h");
    const open = () => tenant.call("GET", `/v1/sessions/${session}`);
    await expect.poll(async () => (await open()).body.status).toBe("waiting");
    await first.body?.cancel();
    await evictDurableObject(tenant.object(session));
    const second = await stream();
    const asks = await eventually(async () => {
      const { items } = (await tenant.call("GET", "/v1/asks?status=open")).body;
      expect(items).toHaveLength(1);
      return items;
    });
    await tenant.call("POST", `/v1/asks/${asks[0].askId}/answer`, { response: "Rome" });
    const events = parseEvents(await second.text());
    const waits = events.flatMap(({ event, data }) => (event === "turn.queued" ? [data["waitsFor"]] : []));
    expect(waits).toMatchObject([{ askIds: [] }, { askIds: [asks[0].askId], audience: "user" }]);
    expect(events.filter(({ event }) => event === "turn.completed")).toHaveLength(2);
    expect(events.at(-1)?.event).toBe("turn.completed");
  });

  it("as JSON with `follow` is answered when its turn has ended", async () => {
    const { tenant, session, answer, model } = await waiting();
    const sent = tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "And a car.", follow: true });
    await answer("Rome");
    expect(await sent).toMatchObject({ status: 200, body: { status: "completed" } });
    expect(await model.requests()).toHaveLength(3);
  });

  it("is queued up to 32, and then refused as of a full queue", async () => {
    const { send } = await waiting();
    for (let count = 0; count < 32; count++) expect((await send(`message ${count}`)).status).toBe(202);
    expect(await send("one too many")).toMatchObject({ status: 429, body: { code: "queue_full" } });
  });

  it("cancels the turn and becomes the next one", async () => {
    const { tenant, model, session, turn, send, answer } = await waiting("cancel");
    await model.clear();
    await model.reply({ text: "Forgotten." });
    const next = await send("Never mind.");
    expect(next).toMatchObject({ status: 200, body: { status: "completed" } });
    expect(next.body.reply.modelReply.turns).toMatchObject([{ message: "Forgotten." }]);
    expect((await tenant.turn(session, turn.turnId)).status).toBe("cancelled");
    expect((await answer("Rome")).status).toBe(409);
  });

  it("cancels the turn too when it was sent just before the question was asked", async () => {
    const { tenant, model, session } = await waiting("cancel");
    await model.clear();
    await model.reply({ ...asksCity, hold: "h" }, { text: "Forgotten." });
    const first = await tenant.say(session, "Book another hotel.", { waitMs: 0 });
    await model.until({ open: 1 });
    const second = await tenant.say(session, "Never mind.", { waitMs: 0 });
    await model.release("h");
    expect((await tenant.turn(session, second.turnId)).status).toBe("completed");
    expect((await tenant.turn(session, first.turnId)).status).toBe("cancelled");
  });
});

describe("a message that answers the question that is waited on", () => {
  it("goes on with the turn, and stands in the history as the answer", async () => {
    const { model, turn, askId, send, transcript } = await waiting("answer");
    const answered = await send("Rome");
    expect(answered).toMatchObject({ status: 200, body: { turnId: turn.turnId, status: "completed" } });
    expect(answered.body.asks).toMatchObject([{ askId, status: "answered", answer: { response: "Rome" } }]);
    expect(await transcript()).toMatchObject([
      { role: "user", content: "Book a hotel." },
      { role: "user", content: "Rome", speaker: "Ada", answers: askId },
      { role: "assistant" },
    ]);
    await send("And a car.");
    expect(JSON.stringify((await model.requests()).at(-1)?.body)).toContain("Rome");
  });

  it("is one answer under one key, after a crash too", async () => {
    const { turn, send, transcript } = await waiting("answer");
    const first = await send("Rome", { "idempotency-key": "a" });
    await crash();
    expect((await send("Rome", { "idempotency-key": "a" })).body.turnId).toBe(turn.turnId);
    expect(first.body.turnId).toBe(turn.turnId);
    expect(await transcript()).toHaveLength(3);
    expect((await send("Oslo", { "idempotency-key": "a" })).status).toBe(409);
  });

  it("passes the rules of the session first: what they redact nobody reads, and what they block answers nothing", async () => {
    const { tenant, model, send, transcript, session, turn } = await waiting("answer");
    await tenant.rules("words", [
      { match: { type: "phrases", phrases: ["Rosebud"] }, action: "redact", reason: "a secret word" },
      { match: { type: "phrases", phrases: ["forbidden"] }, action: "block", reason: "not allowed" },
    ]);
    await tenant.put("agents", "assistant", {
      kind: "model",
      model: `openai/${model.model}`,
      instructions: "Be helpful.",
      supervisors: ["words"],
      tools: [{ server: "conclave", tool: "ask_human" }],
    });
    expect(await send("the forbidden city")).toMatchObject({ status: 422, body: { code: "invalid" } });
    expect((await tenant.turn(session, turn.turnId, 0)).status).toBe("waiting");
    expect((await send("Rosebud city")).body.status).toBe("completed");
    expect(JSON.stringify(await transcript())).not.toContain("Rosebud");
    expect(JSON.stringify(await model.requests())).not.toContain("Rosebud");
  });

  it("passes all supervisors of requests, agents too, and the record says which text of whose they judged", async () => {
    const { tenant, model, send, transcript, session, turn, askId } = await waiting("answer");
    const judge = await supervisingAgent(tenant, "judge");
    await tenant.put("agents", "assistant", {
      kind: "model",
      model: `openai/${model.model}`,
      instructions: "Be helpful.",
      supervisors: ["judge"],
      tools: [{ server: "conclave", tool: "ask_human" }],
    });
    await judge.reply(toolCalls(["block_message", { reason: "no such city" }]));
    expect(await send("Atlantis")).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("no such city") },
    });
    expect((await tenant.turn(session, turn.turnId, 0)).status).toBe("waiting");
    await judge.reply(toolCalls(["request_review", { reason: "unsure" }]));
    expect((await send("Nowhere")).status).toBe(422);
    const modify = toolCalls(["modify_message", { content: "Rome", reason: "spelling" }]);
    await judge.reply(modify);
    const answered = await send("Roma", { "idempotency-key": "a" });
    expect(answered.body).toMatchObject({ status: "completed", asks: [{ askId, answer: { response: "Rome" } }] });
    // What the judge took counts with the turn: three answers, beside the agent's two rounds.
    expect(answered.body.usage.inputTokens).toBe(50);
    expect(JSON.stringify([await transcript(), await model.requests()])).not.toMatch(/Atlantis|Nowhere|Roma"/);
    const messageId = (await transcript())[1].messageId;
    const passes = (await tenant.call("GET", `/v1/sessions/${session}/supervision`)).body.items;
    expect(passes.filter(({ hook }: { hook: string }) => hook === "request")).toMatchObject([
      { decision: "allow", subject: { messageId: turn.message?.messageId } },
      { decision: "block", texts: { before: "Atlantis" } },
      { decision: "review", texts: { before: "Nowhere" } },
      { decision: "modify", subject: { messageId }, steps: [{ supervisor: "judge" }] },
    ]);
    const client = await tenant.withRole("client");
    const shown = await client.call("GET", `/v1/sessions/${session}/supervision`);
    expect(JSON.stringify(shown.body)).not.toMatch(/Atlantis|Nowhere/);
    const versions = await tenant.call("GET", `/v1/sessions/${session}/messages/${messageId}/versions`);
    expect(versions.body.items).toMatchObject([
      { author: { kind: "key" }, decision: "original", message: { content: "Roma" } },
      { author: { kind: "supervisor", id: "judge" }, decision: "modify", message: { content: "Rome" } },
    ]);
  });

  it("has versions, and can be erased", async () => {
    const { tenant, session, send, transcript } = await waiting("answer");
    await send("Rome");
    const path = `/v1/sessions/${session}/messages/${(await transcript())[1].messageId}`;
    const versions = await tenant.call("GET", `${path}/versions`);
    expect(versions.body.items).toMatchObject([
      { author: { kind: "key", role: "admin" }, message: { content: "Rome" } },
    ]);
    expect((await tenant.call("POST", `${path}/erase`)).status).toBe(200);
    expect((await transcript())[1]).toMatchObject({ content: "[erased]", erased: true });
    expect((await transcript())[1]).not.toHaveProperty("speaker");
  });

  it("is queued where the question is not for the user", async () => {
    const tenant = await newTenant();
    await tenant.put("tools", "pay", {
      server: "bank",
      description: "Pays.",
      approval: "always",
      http: { url: "https://bank.example/pay" },
      parameters: { type: "object", properties: {} },
    });
    const model = await tenant.agent("assistant", { tools: [{ server: "bank", tool: "pay" }] });
    await model.reply({ toolCalls: [{ name: "pay", arguments: {} }] }, { text: "Done." });
    const session = await tenant.session({ whileWaiting: "answer" });
    const turn = await tenant.say(session, "Pay.");
    expect(turn.asks).toMatchObject([{ kind: "approval" }]);
    expect((await tenant.say(session, "yes")).status).toBe("queued");
    expect((await tenant.turn(session, turn.turnId, 0)).status).toBe("waiting");
  });
});

describe("who says what in a session", () => {
  it("is on record with the message, with its metadata and its time", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello, both." });
    const session = await tenant.session();
    const metadata = { channel: "lobby" };
    const turn = await tenant.say(session, "Hi.", { speaker: "Ada", metadata });
    expect(turn.message).toMatchObject({ content: "Hi.", speaker: "Ada", metadata, createdAt: turn.createdAt });
    expect(turn.reply).toMatchObject({ createdAt: turn.endedAt });
    const path = `/v1/sessions/${session}/messages`;
    expect((await tenant.call("GET", path)).body.items[0]).toMatchObject({ speaker: "Ada", metadata });
    const versions = await tenant.call("GET", `${path}/${turn.message?.messageId}/versions`);
    expect(versions.body.items).toMatchObject([{ message: { speaker: "Ada", metadata } }]);
  });

  it("has to be the same for the same key", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello." });
    const session = await tenant.session();
    const send = (speaker: string) =>
      tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "Hi.", speaker }, { "idempotency-key": "k" });
    const first = await send("Ada");
    expect((await send("Ada")).body.turnId).toBe(first.body.turnId);
    expect((await send("Bob")).status).toBe(409);
  });

  it("is known to the memory", async () => {
    const tenant = await newTenant();
    const vault = await tenant.call("POST", "/v1/vaults", { title: "Vault" });
    const memory = await tenant.call("POST", `/v1/vaults/${vault.body.vaultId}/memories`, {
      title: "M",
      model: "offline",
    });
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Hello." });
    const session = await tenant.session({ memory: { memoryId: memory.body.memoryId } });
    await tenant.say(session, "I live in Turin.", { speaker: "Ada" });
    await eventually(async () => {
      const entries = await tenant.call("GET", `/v1/memories/${memory.body.memoryId}/entries`);
      expect(entries.body.items[0]).toMatchObject({ rawEntry: "I live in Turin.", speaker: "Ada" });
    });
  });
});
