/** Replays of turns in which others than the agent called something: a team's workers, a panel's seats, supervisors, the caller. */
import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { httpTool, supervisingAgent, toolCalls } from "../durable-objects/supervision/support.js";
import { complete, user, weather } from "../openai/support.js";
import { type Fields, newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { newPanel, seat, takes } from "../support/roundtables.js";
import { asksHuman, modelOf, newTeam, routesTo } from "../support/teams.js";
import { upstreamFor } from "../support/upstream-client.js";

async function replayed(tenant: TestTenant, session: string, body: object) {
  const started = await tenant.call("POST", `/v1/sessions/${session}/replay`, { maxTokens: 1e7, copy: true, ...body });
  expect(started).toMatchObject({ status: 202 });
  const { evalId } = started.body;
  await eventually(async () =>
    expect((await tenant.call("GET", `/v1/evals/${evalId}`)).body.status).not.toBe("running"),
  );
  const { items } = (await tenant.call("GET", `/v1/evals/${evalId}/items`)).body;
  return items.map(({ result }: { result: object }) => result);
}

const looks = (text: string) => ({ name: "look", arguments: { text } });

/** A team whose worker looked something up and asked a person, beside one at an address; a supervisor looked something up, too. */
async function desk() {
  const tenant = await newTenant();
  const look = await httpTool(tenant, "look");
  const orders = await httpTool(tenant, "orders");
  await look.reply({ body: "Lamps are in room 4.", repeat: true });
  await orders.reply({ body: "Order 7 is open.", repeat: true });
  const outside = upstreamFor(env.TEST_UPSTREAM);
  await outside.reply({ body: { response: "Seen from outside." }, repeat: true });
  const clerk = await supervisingAgent(tenant, "clerk", {}, { ownTools: ["shop/orders"] });
  const team = newTeam({ billing: { tools: ["shop/look", "ask_human"] }, remote: { http: { url: outside.hookURL } } });
  await tenant.put("teams", "desk", team.definition);
  await tenant.put("agents", "assistant", { kind: "team", team: "desk", supervisors: ["clerk"] });
  const clerkLooks = [toolCalls(["shop__orders", { text: "7" }]), toolCalls(["allow_message", {}])];
  await clerk.reply(...clerkLooks);
  await team.supervisor.reply(routesTo(["billing", "remote"]));
  await modelOf(team, "billing").reply({ toolCalls: [looks("lamps")] }, asksHuman("Which one?"), { text: "Room 4." });
  const session = await tenant.session({ metadata: { shop: "Lyon" } });
  const waiting = await tenant.say(session, "Where is order 7?");
  expect(waiting).toMatchObject({ status: "waiting", asks: [{ question: "Which one?" }] });
  // What was called before is known to the instance that goes on, too.
  await evictDurableObject(tenant.object(session));
  await tenant.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, { response: "the red one" });
  const turn = await tenant.turn(session, waiting.turnId);
  expect(turn.status).toBe("completed");
  const calls = async () =>
    (await Promise.all([look, orders, outside].map((one) => one.requests()))).map((all) => all.length);
  return { tenant, team, clerk, clerkLooks, session, turn, calls };
}

describe("a replay of a team's turn", () => {
  it("answers from the record what workers and supervisors called, and workers at an address", async () => {
    const { tenant, team, clerk, clerkLooks, session, turn, calls } = await desk();
    expect(await calls()).toEqual([1, 1, 1]);
    const other = upstreamFor(env.TEST_UPSTREAM);
    const workers = team.definition.workers.map((worker) =>
      worker.id === "billing" ? { ...worker, model: `openai/${other.model}` } : worker,
    );
    const changed = newTeam({
      billing: { tools: ["shop/look", "ask_human"] },
      remote: { http: { url: "https://a.test/" } },
    });
    await tenant.put("teams", "changed", { ...changed.definition, workers });
    const candidates = [{ name: "other", team: "changed" }];
    await changed.supervisor.reply(routesTo(["billing", "remote"]));
    await other.reply({ toolCalls: [looks("lamps")] }, asksHuman("Which one?"), { text: "The red one." });
    const [result] = await replayed(tenant, session, { candidates });
    expect(result).toMatchObject({
      action: "allow",
      text: "The red one.\n\nSeen from outside.",
      workers: ["billing", "remote"],
    });
    expect(result.tools.toSorted()).toEqual(["conclave/ask_human", "shop/look", "worker/remote"]);
    const read = JSON.stringify((await other.requests()).map(({ body }) => body));
    for (const text of ["room 4", "the red one"]) expect(read).toContain(text);

    await clerk.reply(...clerkLooks);
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ toolCalls: [looks("chairs")] });
    const guarded = [{ name: "guarded", agent: "assistant" }];
    const [diverged] = await replayed(tenant, session, { candidates: guarded });
    expect(diverged).toMatchObject({ diverged: 'shop/look {"text":"chairs"}', tools: ["shop/orders", "shop/look"] });
    expect(await calls()).toEqual([1, 1, 1]);

    // What is kept for replays goes with the first text of the turn that is erased.
    const erase = `/v1/sessions/${session}/messages/${turn.reply?.messageId}/erase`;
    expect((await tenant.call("POST", erase)).status).toBe(200);
    await changed.supervisor.reply(routesTo("billing"));
    await other.reply({ toolCalls: [looks("lamps")] });
    expect((await replayed(tenant, session, { candidates }))[0]).toMatchObject({
      diverged: 'shop/look {"text":"lamps"}',
    });
  });

  it("has the supervisors, the subject and the metadata of the turn, or says that it hasn't", async () => {
    const { tenant, session } = await desk();
    const model = await tenant.agent("plain", { context: ["metadata.shop"] });
    await tenant.rules("late", [{ match: { type: "phrases", phrases: ["order"] }, action: "block", reason: "No." }]);
    await tenant.call("PATCH", `/v1/sessions/${session}`, { metadata: { shop: "Paris" }, addSupervisors: ["late"] });
    await model.reply({ text: "In Lyon." });
    const [result] = await replayed(tenant, session, { candidates: [{ name: "plain", agent: "plain" }] });
    expect(result).toMatchObject({ action: "allow", text: "In Lyon." });
    expect(result.asNow).toBeUndefined();
    const asked = JSON.stringify((await model.requests()).map(({ body }) => body));
    expect(asked).toContain("Lyon");
    expect(asked).not.toContain("Paris");
  });
});

it("a replay of a panel's turn answers its seats from the record, and a supervisor of the tenant judges as it did then", async () => {
  const tenant = await newTenant();
  const look = await httpTool(tenant, "look");
  await look.reply({ body: "It rains.", repeat: true });
  const panel = newPanel(["a", "b"], { tools: ["shop/look"], rounds: 1 });
  await tenant.put("panels", "board", panel.fields);
  await tenant.put("agents", "assistant", { kind: "panel", panel: "board" });
  const rule = (phrase: string) => [{ match: { type: "phrases", phrases: [phrase] }, action: "block", reason: "No." }];
  await tenant.rules("guard", rule("never"));
  await tenant.call("PATCH", "/v1/tenant/settings", { supervisors: ["guard"] });
  await seat(panel, "a").reply({ toolCalls: [looks("sky")] }, takes("Stay in."));
  await seat(panel, "b").reply(takes("Go out."));
  await panel.analyst.reply({ text: "Stay in." });
  const session = await tenant.session();
  const turn = await tenant.say(session, "Shall we go out?");
  expect(turn.status).toBe("completed");
  await tenant.rules("guard", rule("go out"));
  await seat(panel, "a").reply({ toolCalls: [looks("sky")] }, takes("Stay."));
  await seat(panel, "b").reply(takes("Stay."));
  await panel.analyst.reply({ text: "Stay." });
  const [result] = await replayed(tenant, session, { candidates: [{ name: "now", panel: "board" }] });
  expect(result).toMatchObject({ action: "allow", text: expect.stringContaining("Stay."), tools: ["shop/look"] });
  expect(await look.requests()).toHaveLength(1);
  const plain = await tenant.agent("plain", { supervisors: ["guard"] });
  const candidates = [{ name: "newer", agent: "plain" }];
  expect((await replayed(tenant, session, { candidates }))[0]).toMatchObject({ action: "block" });
  expect(await plain.requests()).toEqual([]);
});

it("a replay of a turn whose caller sent tools along hands over the calls that the caller was handed, and no others", async () => {
  const tenant = await newTenant();
  const model = await tenant.agent("assistant");
  const calls = (place: string) => ({ toolCalls: [{ name: "get_weather", arguments: { place } }] });
  const session = await tenant.session();
  const headers = { "x-conclave-session": session };
  const send = (messages: readonly Fields[]) => complete(tenant, [...messages], { tools: [weather] }, headers);
  await model.reply(calls("Lyon"), { text: "It is sunny." });
  const { message } = (await send([user("The weather in Lyon?")])).body.choices[0];
  const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "sunny, 21 degrees" };
  expect((await send([user("The weather in Lyon?"), message, result])).body.choices[0].finish_reason).toBe("stop");
  const other = upstreamFor(env.TEST_UPSTREAM);
  const candidates = [{ name: "other", agent: "assistant", change: { model: `openai/${other.model}` } }];
  await other.reply(calls("Lyon"), { text: "21 degrees." });
  const results = await replayed(tenant, session, { candidates });
  expect(results).toMatchObject([
    { action: "allow", tools: ["caller/get_weather"] },
    { action: "allow", text: "21 degrees." },
  ]);
  expect(JSON.stringify((await other.requests()).map(({ body }) => body))).toContain("sunny, 21 degrees");
  await other.reply(calls("Nice"), calls("Nice"));
  const diverged = await replayed(tenant, session, { candidates });
  expect(diverged).toMatchObject(Array(2).fill({ diverged: 'caller/get_weather {"place":"Nice"}' }));
});
