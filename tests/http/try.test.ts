/** Supervisors are tried on a text: what they would say is what they say in a turn, and nothing comes of it. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { supervisingAgent, toolCalls } from "../durable-objects/supervision/support.js";
import { auditAbout } from "../support/audit.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { upstreamFor } from "../support/upstream-client.js";

const card = {
  match: { type: "phrases", phrases: ["kestrel"] },
  action: "redact",
  reason: "a bird of prey",
  id: "bird",
};
const stop = { match: { type: "phrases", phrases: ["bomb"] }, action: "block", reason: "a weapon" };
const body = (...rules: unknown[]) => ({ kind: "rules", hooks: ["request"], config: { rules } });
const attempt = (tenant: TestTenant, supervisors: unknown[], on: unknown, more = {}) =>
  tenant.call("POST", "/v1/try", { supervisors, on, ...more });

it("each judges the same text alone, and all together what those before them made of it", async () => {
  const tenant = await newTenant();
  await tenant.rules("birds", [card]);
  await tenant.rules("birds", [card, stop]);
  const tried = await attempt(tenant, ["birds", { name: "birds", version: 1 }, body(stop)], {
    text: "A kestrel on a bomb.",
  });
  expect(tried.status).toBe(200);
  expect(tried.body.together).toMatchObject({ action: "block", reasons: expect.arrayContaining(["a weapon"]) });
  expect(tried.body.alone).toMatchObject([
    { supervisor: "birds", version: 2, action: "block", matched: expect.arrayContaining(["bird", "2"]) },
    {
      supervisor: "birds-2",
      version: 1,
      action: "modify",
      text: expect.not.stringContaining("kestrel"),
      matched: ["bird"],
    },
    { supervisor: "body", action: "block", reasons: ["a weapon"], matched: ["1"] },
  ]);
  expect(tried.body.alone[2].version).toBeUndefined();
});

it("texts of a turn are judged as they were sent, which is on record; so says the turn", async () => {
  const tenant = await newTenant();
  await tenant.rules("birds", [card]);
  const model = await tenant.agent("assistant", { supervisors: ["birds"] });
  await model.reply({ text: "A kestrel indeed." });
  const sessionId = await tenant.session();
  const turn = await tenant.say(sessionId, "Is that a kestrel?");
  expect(JSON.stringify(turn)).not.toContain("kestrel");
  for (const hook of ["request", "response"]) {
    const { alone } = (await attempt(tenant, ["birds"], { sessionId, turnId: turn.turnId, hook })).body;
    expect(alone).toMatchObject([{ action: "modify", matched: ["bird"], reasons: ["a bird of prey"] }]);
  }
  expect(await auditAbout(tenant, "originals.read")).toMatchObject([{ sessionId }, { sessionId }]);
  expect((await attempt(await newTenant(), [body(card)], { sessionId, turnId: turn.turnId })).status).toBe(404);
  await tenant.call("POST", `/v1/sessions/${sessionId}/messages/${turn.message?.messageId}/erase`);
  expect((await attempt(tenant, ["birds"], { sessionId, turnId: turn.turnId })).status).toBe(404);
});

it("a supervising agent is asked once, reads what was said before, says what it would change, and its tokens are usage", async () => {
  const tenant = await newTenant();
  await tenant.put("rules", "calm", { text: "Speak calmly." });
  const judge = await supervisingAgent(tenant, "judge", { permissions: "full_control" });
  await judge.reply(
    toolCalls(["include_rule", { name: "calm", reason: "angry" }]),
    toolCalls(["store_rule", { name: "new", text: "Be brief.", reason: "long" }]),
    toolCalls(["request_review", { reason: "a person has to look" }]),
  );
  const messages = [
    { role: "user", content: "You are slow." },
    { role: "assistant", content: "We hurry." },
    { role: "user", content: "Hurry more!" },
  ];
  const { together, alone } = (await attempt(tenant, ["judge"], { messages })).body;
  expect(together).toMatchObject({ action: "review", reasons: ["a person has to look"], text: "Hurry more!" });
  expect(alone).toMatchObject([
    { action: "review", contextChanges: { addedRules: ["calm"] }, usage: { inputTokens: 30 } },
  ]);
  const seen = await judge.requests();
  expect(seen).toHaveLength(3);
  expect(JSON.stringify(seen[0]?.body)).toContain("We hurry.");
  expect(JSON.stringify(seen[2]?.body)).toContain("would include rules/calm");
  expect(JSON.stringify(seen[2]?.body)).toContain("would store rules/new");
  expect((await tenant.call("GET", "/v1/rules")).body.items).toMatchObject([{ name: "calm" }]);
  expect((await tenant.call("GET", "/v1/asks")).body.items).toEqual([]);
  expect((await tenant.call("GET", "/v1/usage")).body.items).toMatchObject([
    { turns: 0, modelCalls: 3, inputTokens: 30 },
  ]);
  const rows = await env.DB.prepare("SELECT kind FROM usage WHERE tenant_id = ?").bind(tenant.tenantId).all();
  expect(rows.results).toEqual([{ kind: "trial" }]);
});

it("an endpoint is called only where that is said, and told that it is a trial", async () => {
  const tenant = await newTenant();
  const endpoint = upstreamFor(env.TEST_UPSTREAM);
  await tenant.put("supervisors", "endpoint", {
    kind: "http",
    hooks: ["request"],
    config: { url: endpoint.hookURL, secret: "a-long-secret" },
  });
  const silent = await attempt(tenant, ["endpoint"], { text: "Hello." });
  expect(silent.body.alone).toMatchObject([{ action: "allow", skipped: expect.stringContaining("callHttp") }]);
  expect(await endpoint.requests()).toHaveLength(0);
  await endpoint.reply({ body: { action: "block", reasons: ["no"] } });
  const called = await attempt(tenant, ["endpoint"], { text: "Hello." }, { callHttp: true });
  expect(called.body.together).toMatchObject({ action: "block", reasons: ["no"] });
  const [request] = await endpoint.requests();
  const [context = ""] = request?.headers["conclave-context"]?.split(".") ?? [];
  expect(JSON.parse(atob(context.replaceAll("-", "+").replaceAll("_", "/")))).toMatchObject({ trial: true });
});

it("failures count for nothing: the breaker stays closed, and shadows are judged as if they were enforced", async () => {
  const tenant = await newTenant();
  const judge = await supervisingAgent(tenant, "judge", { mode: "shadow", onFailure: "block" });
  for (let time = 0; time < 6; time++) {
    await judge.reply({ status: 400, body: { error: { message: "no" } } });
    const { together, alone } = (await attempt(tenant, ["judge"], { text: "Hello." })).body;
    expect(together.action).toBe("allow");
    expect(alone).toMatchObject([{ mode: "shadow", action: "block", failed: expect.stringContaining("judge") }]);
  }
  expect(await judge.requests()).toHaveLength(6);
});

it("what can't be tried is refused with its place", async () => {
  const tenant = await newTenant();
  const client = await tenant.withRole("client");
  expect((await attempt(client, [body(card)], { text: "Hello." })).status).toBe(403);
  expect((await attempt(tenant, ["nobody"], { text: "Hello." })).status).toBe(404);
  const broken = await attempt(tenant, [body({ ...card, action: "explode" })], { text: "Hello." });
  expect(broken).toMatchObject({ status: 422, body: { errors: [{ path: "supervisors.0.config.rules.0.action" }] } });
  expect((await attempt(tenant, [], { text: "Hello." })).status).toBe(422);
  const hop = await attempt(tenant, [body(card)], { text: "no JSON", hook: "tool_call" });
  expect(hop).toMatchObject({ status: 422, body: { errors: [{ path: "on.text" }] } });
});

it("a hundred tries beside a conversation leave all of it as it was, and a client tries no body", async () => {
  const tenant = await newTenant();
  await tenant.rules("birds", [card, { ...stop, action: "review" }]);
  const model = await tenant.agent("assistant", { supervisors: ["birds"] });
  await model.reply({ text: "Hello.", repeat: true });
  const session = await tenant.session();
  await tenant.say(session, "A kestrel.");
  const paths = ["", "/supervision", "/context", "/messages"].map((path) => `/v1/sessions/${session}${path}`);
  const read = () =>
    Promise.all([...paths, "/v1/asks", "/v1/decisions"].map(async (path) => (await tenant.call("GET", path)).body));
  await eventually(async () => expect(await auditAbout(tenant, "supervision")).toHaveLength(2));
  const before = await read();
  const texts = ["Hello.", "A kestrel.", "A bomb.", "A kestrel on a bomb."];
  for (let tries = 0; tries < 100; tries += 20) {
    const made = Array.from({ length: 20 }, (_none, at) => attempt(tenant, ["birds"], { text: texts[at % 4] }));
    for (const { status } of await Promise.all(made)) expect(status).toBe(200);
  }
  expect(await read()).toEqual(before);
  expect(await auditAbout(tenant, "supervision")).toHaveLength(2);
  expect((await attempt(await tenant.withRole("client"), [body(stop)], { text: "A bomb." })).status).toBe(403);
});
