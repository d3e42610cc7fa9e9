/** Turns of sessions answered again by others: from what is on record of them, and nothing that they do reaches anybody. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { newMemory } from "../support/memory.js";
import { crash } from "../support/objects.js";
import { upstreamFor } from "../support/upstream-client.js";

const usage = { inputTokens: 90, outputTokens: 10 };

async function ended(tenant: TestTenant, evalId: string) {
  const done = await eventually(async () => {
    const { body } = await tenant.call("GET", `/v1/evals/${evalId}`);
    expect(body.status).not.toBe("running");
    return body;
  });
  const { items } = (await tenant.call("GET", `/v1/evals/${evalId}/items?limit=200`)).body;
  return { done, results: items.map(({ result }: { result: object }) => result) };
}

async function replayed(tenant: TestTenant, path: string, body: object) {
  const started = await tenant.call("POST", path, { maxTokens: 10_000_000, copy: true, ...body });
  expect(started).toMatchObject({ status: 202, body: { status: "running" } });
  return ended(tenant, started.body.evalId);
}

const call = (article: string) => ({ name: "price", arguments: { article } });

/** A shop whose agent has asked for five prices, one after a person approved it, and asked a person something. */
async function shop() {
  const tenant = await newTenant();
  const server = upstreamFor(env.TEST_UPSTREAM);
  const hooks = upstreamFor(env.TEST_UPSTREAM);
  const events = ["turn.completed", "ask.opened"];
  expect((await tenant.call("PUT", "/v1/webhooks/crm", { url: hooks.hookURL, events })).status).toBe(201);
  await hooks.reply({ body: {}, repeat: true });
  const http = { method: "POST", url: server.hookURL };
  const parameters = { type: "object", properties: { article: { type: "string" } } };
  await tenant.put("tools", "price", { server: "shop", description: "What it costs.", parameters, http });
  await tenant.put("tools", "order", {
    ...{ server: "shop", description: "Orders.", parameters, http, approval: "always" },
  });
  const memory = await newMemory("offline", tenant);
  const tools = [
    { server: "shop", tool: "price" },
    { server: "shop", tool: "order" },
    { server: "conclave", tool: "ask_human" },
  ];
  const model = await tenant.agent("assistant", { tools });
  const session = await tenant.session({ memory: { memoryId: memory.memoryId } });
  await server.reply({ body: { euros: 3 }, repeat: true });
  await model.reply({ text: "Hello, Ana.", usage });
  await tenant.say(session, "Hello, I am Ana.");
  await model.reply(
    { toolCalls: ["bread", "cake", "milk"].map(call), usage },
    { toolCalls: [call("tea"), { name: "order", arguments: { article: "tea" } }], usage },
    { toolCalls: [{ name: "ask_human", arguments: { question: "By when?" } }], usage },
    { text: "Ordered.", usage },
  );
  const { turnId } = await tenant.say(session, "Order tea.", { waitMs: 0 });
  for (const answer of [{ decision: "once" }, { response: "Friday" }]) {
    const askId = await eventually(async () => {
      const { items } = (await tenant.call("GET", "/v1/asks?status=open")).body;
      expect(items).toHaveLength(1);
      return items[0].askId;
    });
    expect((await tenant.call("POST", `/v1/asks/${askId}/answer`, answer)).status).toBe(200);
    await eventually(async () =>
      expect((await tenant.call("GET", "/v1/asks?status=open")).body.items).not.toMatchObject([{ askId }]),
    );
  }
  await eventually(async () => expect((await tenant.turn(session, turnId)).status).toBe("completed"));
  return { tenant, server, hooks, memory, session, turnId };
}

describe("a replay", () => {
  it("answers tools, approvals and questions from the record, and reaches nobody", async () => {
    const { tenant, server, hooks, memory, session, turnId } = await shop();
    const entries = async () => (await memory.entries()).length;
    await eventually(async () => expect((await hooks.requests()).length).toBe(4));
    await eventually(async () => expect(await entries()).toBe(4));
    const before = [(await server.requests()).length, (await tenant.call("GET", "/v1/asks")).body.items.length];
    expect(before).toEqual([5, 2]);
    const other = upstreamFor(env.TEST_UPSTREAM);
    const candidates = [{ name: "other", agent: "assistant", change: { model: `openai/${other.model}` } }];
    await other.reply(
      // In another order, and with a call that was made once made twice.
      { toolCalls: ["milk", "bread", "cake", "bread"].map(call), usage },
      { toolCalls: [{ name: "order", arguments: { article: "tea" } }, call("tea")], usage },
      { toolCalls: [{ name: "ask_human", arguments: { question: "By when?" } }], usage },
      { text: "It comes on Friday.", usage },
    );
    const same = await replayed(tenant, `/v1/sessions/${session}/replay`, { candidates, turns: [turnId] });
    expect(same.done).toMatchObject({ status: "completed", spent: 400, progress: { items: 1, done: 1, failed: 0 } });
    expect(same.results).toMatchObject([{ action: "allow", text: "It comes on Friday." }]);
    expect(same.results[0].tools).toHaveLength(7);
    const asked = (await other.requests()).map(({ body }) => JSON.stringify(body));
    expect(asked[0]).toContain("Hello, Ana.");
    expect(asked.at(-1)).toContain("Friday");

    await other.reply({ toolCalls: [{ name: "order", arguments: { article: "coffee" } }], usage });
    const changed = await replayed(tenant, `/v1/sessions/${session}/replay`, { candidates, turns: [turnId] });
    expect(changed.results).toMatchObject([{ diverged: 'an approval of shop/order {"article":"coffee"}' }]);
    await other.reply({ toolCalls: [call("wine")], usage });
    const third = await replayed(tenant, `/v1/sessions/${session}/replay`, { candidates, turns: [turnId] });
    expect(third.results).toMatchObject([{ diverged: 'shop/price {"article":"wine"}' }]);
    const { candidates: compared } = (await tenant.call("GET", `/v1/evals/${third.done.evalId}/comparison`)).body;
    expect(compared[0]).toMatchObject({ results: 1, failed: 0, diverged: { results: 1 } });

    // Nothing was called, asked, told or remembered.
    expect([(await server.requests()).length, (await tenant.call("GET", "/v1/asks")).body.items.length]).toEqual(
      before,
    );
    expect((await hooks.requests()).length).toBe(4);
    expect(await entries()).toBe(4);
    expect((await tenant.call("GET", `/v1/sessions/${session}/messages`)).body.items).toHaveLength(4);
    expect((await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(1);
  });

  it("keeps no text of a turn unless it is asked to, and leaves out what was erased", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Fine.", usage, repeat: true });
    const session = await tenant.session();
    const first = await tenant.say(session, "My secret is plum.");
    await tenant.say(session, "How are you?");
    const candidates = [{ name: "now", agent: "assistant" }];
    const all = await replayed(tenant, `/v1/sessions/${session}/replay`, { candidates, copy: false });
    expect(all.results).toHaveLength(2);
    expect(all.results[0].text).toBeUndefined();
    const copied = await replayed(tenant, `/v1/sessions/${session}/replay`, { candidates });
    expect(copied.results).toMatchObject([{ text: "Fine." }, { text: "Fine." }]);
    const path = `/v1/sessions/${session}/messages/${first.message?.messageId}/erase`;
    expect((await tenant.call("POST", path)).status).toBe(200);
    const left = (await ended(tenant, copied.done.evalId)).results;
    expect(left.map(({ text }: { text?: string }) => text)).toEqual([undefined, "Fine."]);
    const asked = (await model.requests()).length;
    const rest = await replayed(tenant, `/v1/sessions/${session}/replay`, { candidates });
    expect(rest.results).toMatchObject([{ text: "Fine." }]);
    const [last] = (await model.requests()).slice(asked);
    expect(JSON.stringify(last?.body)).not.toContain("plum");
  });

  it("remembers what was remembered when the turn began", async () => {
    const tenant = await newTenant();
    const memory = await newMemory("offline", tenant);
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Fine.", usage, repeat: true });
    const note = (rawEntry: string) => tenant.call("POST", `/v1/memories/${memory.memoryId}/entries`, { rawEntry });
    expect((await note("The parrot of Ana eats walnuts.")).status).toBe(201);
    const session = await tenant.session({ memory: { memoryId: memory.memoryId } });
    await tenant.say(session, "What does the parrot of Ana eat?");
    expect((await note("The parrot of Ana eats plums now.")).status).toBe(201);
    const asked = (await model.requests()).length;
    const candidates = [{ name: "now", agent: "assistant" }];
    const { results } = await replayed(tenant, `/v1/sessions/${session}/replay`, { candidates });
    expect(results).toMatchObject([{ text: "Fine." }]);
    const [before, replay] = (await model.requests()).slice(asked - 1).map(({ body }) => JSON.stringify(body));
    expect(before).toContain("walnuts");
    expect(replay).toContain("walnuts");
    expect(replay).not.toContain("plums");
  });

  it("takes turns of many sessions, says beforehand what it may come to, and begins once", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ text: "Fine.", usage, repeat: true });
    for (const subject of ["ana", "ben"]) {
      const session = await tenant.session({ subject });
      for (const text of ["One", "Two"]) await tenant.say(session, text);
    }
    await eventually(async () => expect((await tenant.call("GET", "/v1/sessions")).body.items).toHaveLength(2));
    const candidates = [{ name: "now", agent: "assistant" }];
    const start = (body: object, headers = {}) => tenant.call("POST", "/v1/replays", { candidates, ...body }, headers);
    expect(await start({})).toMatchObject({ status: 422, body: { errors: [{ path: "maxTokens" }] } });
    const asked = (await model.requests()).length;
    expect(await start({ estimate: true })).toMatchObject({
      status: 200,
      body: { estimate: { calls: 4, modelCalls: 4 } },
    });
    expect((await start({ filter: { subject: "ana" }, estimate: true })).body.progress.items).toBe(2);
    expect((await start({ filter: { subject: "nobody" }, maxTokens: 1 })).status).toBe(409);
    expect((await start({ sessions: ["ses_1"], maxTokens: 1 })).status).toBe(404);
    expect((await tenant.call("GET", "/v1/datasets")).body.items).toEqual([]);
    expect((await model.requests()).length).toBe(asked);
    const key = { "idempotency-key": "replay-1" };
    const { evalId } = (await start({ maxTokens: 1_000_000 }, key)).body;
    expect((await start({ maxTokens: 1_000_000 }, key)).body.evalId).toBe(evalId);
    await crash();
    const { done } = await ended(tenant, evalId);
    expect(done).toMatchObject({ status: "completed", progress: { items: 4, done: 4, failed: 0 } });
    const compared = await tenant.call("GET", `/v1/evals/${evalId}/comparison?format=markdown`);
    expect(compared.body).toMatch(/^# Replay of 4 turns\n/);
    // Its dataset is there for it alone.
    expect(await tenant.call("GET", `/v1/datasets/${done.dataset}`)).toMatchObject({
      body: { of: "replay", items: 4 },
    });
    await eventually(async () => expect((await tenant.call("GET", "/v1/evals")).body.items).toHaveLength(1));
    expect((await tenant.call("GET", "/v1/datasets")).body.items).toEqual([]);
    const other = await newTenant();
    expect((await other.call("GET", `/v1/evals/${evalId}`)).status).toBe(404);
  });

  it("lets other supervisors judge the turns, too", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Help." });
    await tenant.rules("guard", [{ match: { type: "phrases", phrases: ["poison"] }, action: "block", reason: "No." }]);
    const session = await tenant.session();
    await tenant.say(session, "Sell me poison.");
    const { results } = await replayed(tenant, `/v1/sessions/${session}/replay`, {
      candidates: [
        { name: "guarded", supervisors: ["guard"] },
        { name: "answered", agent: "assistant", change: { supervisors: ["guard"] } },
      ],
    });
    expect(results).toMatchObject([{ action: "block" }, { action: "block" }]);
  });
});
