import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { newTenant, send, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { asksHuman, newTeam } from "../support/teams.js";

afterEach(() => vi.useRealTimers());

async function tenantWithout(): Promise<TestTenant> {
  const tenant = await newTenant();
  const { body } = await tenant.call("GET", "/v1/limits");
  for (const { name } of body.items) await tenant.call("DELETE", `/v1/limits/${name}`);
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
  return tenant;
}

async function session(tenant: TestTenant, more: object = {}): Promise<string> {
  const { body } = await tenant.call("POST", "/v1/sessions", { agent: "assistant", ...more });
  return body.sessionId;
}

const message = (tenant: TestTenant, sessionId: string, headers: Record<string, string> = {}) =>
  tenant.call("POST", `/v1/sessions/${sessionId}/messages`, { content: "Hello there" }, headers);

test("a new tenant has two limits, and they can be read, changed, taken away and put back", async () => {
  const tenant = await newTenant();
  const { body: list } = await tenant.call("GET", "/v1/limits");
  expect(list.items).toMatchObject([
    { name: "messages-a-day", per: "subject", measure: "messages", max: 2_000, window: "day" },
    { name: "messages-a-minute", per: "subject", measure: "messages", max: 60, window: "minute" },
  ]);
  const read = await tenant.call("GET", "/v1/limits/messages-a-day");
  expect(await tenant.call("PUT", "/v1/limits/messages-a-day", { ...read.body, max: 5 })).toMatchObject({
    status: 200,
    body: { max: 5, version: 2 },
  });
  expect((await tenant.call("DELETE", "/v1/limits/messages-a-day")).status).toBe(204);
  expect((await tenant.call("GET", "/v1/limits/messages-a-day")).status).toBe(404);
});

test("a limit of messages refuses the one that is too many, with when to come back, and in words for its end user", async () => {
  const tenant = await tenantWithout();
  const limit = { per: "subject", measure: "messages", max: 2, window: "day", timeZone: "Europe/Berlin" };
  expect((await tenant.call("PUT", "/v1/limits/day", limit)).status).toBe(201);
  const sessionId = await session(tenant, { subject: "ana" });
  const other = await session(tenant, { subject: "ben" });
  for (const key of ["k1", "k2", "k1", "k2"])
    expect((await message(tenant, sessionId, { "idempotency-key": key })).status).toBe(200);
  const refused = await message(tenant, sessionId);
  expect(refused).toMatchObject({
    status: 429,
    body: { code: "limit_reached", limit: "day", scope: "subject ana" },
  });
  expect(refused.body.userMessage).toMatch(/^You have reached today's limit\. You can write again at 00:00\.$/);
  const seconds = Number(refused.headers.get("retry-after"));
  expect(Date.parse(refused.body.resetsAt)).toBeGreaterThan(Date.now());
  expect(refused.headers.get("ratelimit-policy")).toBe('"day";q=2;w=86400');
  expect(refused.headers.get("ratelimit")).toBe(`"day";r=0;t=${seconds}`);
  // Others have limits of their own, and a session without a subject has none of these.
  expect((await message(tenant, other)).status).toBe(200);
  const { body: turns } = await tenant.call("GET", `/v1/sessions/${sessionId}/messages`);
  expect(turns.items.filter(({ role }: { role: string }) => role === "user")).toHaveLength(2);
  expect((await tenant.call("GET", "/v1/limits/day/state?subject=ana")).body).toMatchObject({ used: 2, remaining: 0 });
  expect((await tenant.call("GET", "/v1/limits/day/state")).status).toBe(422);
});

test("a raise lets more through until its time, and is on record with its reason", async () => {
  const tenant = await tenantWithout();
  await tenant.call("PUT", "/v1/limits/few", { per: "tenant", measure: "messages", max: 1, window: "total" });
  const sessionId = await session(tenant);
  await message(tenant, sessionId);
  expect((await message(tenant, sessionId)).status).toBe(429);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const raised = await tenant.call("POST", "/v1/limits/few/raise", { by: 1, until, reason: "a fair" });
  expect(raised).toMatchObject({ status: 200, body: { raises: [{ by: 1, until, reason: "a fair" }] } });
  expect((await message(tenant, sessionId)).status).toBe(200);
  expect((await message(tenant, sessionId)).status).toBe(429);
  const { body: audit } = await tenant.call("GET", "/v1/audit");
  expect(audit).toContain('"limit.raised"');
  expect(audit).toContain("a fair");
});

test("a limit that observes lets everything through, and counts", async () => {
  const tenant = await tenantWithout();
  await tenant.call("PUT", "/v1/limits/seen", { per: "tenant", measure: "messages", max: 1, mode: "observe" });
  const sessionId = await session(tenant);
  for (let at = 0; at < 3; at++) expect((await message(tenant, sessionId)).status).toBe(200);
  expect((await tenant.call("GET", "/v1/limits/seen/state")).body).toMatchObject({ used: 3, remaining: 0 });
});

test("requests and sessions are limited too", async () => {
  const tenant = await tenantWithout();
  await tenant.call("PUT", "/v1/limits/sessions", { per: "tenant", measure: "sessions", max: 1, window: "hour" });
  await session(tenant);
  expect(await tenant.call("POST", "/v1/sessions", { agent: "assistant" })).toMatchObject({
    status: 429,
    body: { code: "limit_reached", limit: "sessions" },
  });
  await tenant.call("PUT", "/v1/limits/requests", { per: "key", measure: "requests", max: 2, window: "hour" });
  expect((await tenant.call("GET", "/v1/agents")).status).toBe(200);
  expect((await tenant.call("GET", "/v1/agents")).status).toBe(200);
  expect((await tenant.call("GET", "/v1/agents")).status).toBe(429);
});

test("the deployment limits tenants, and one tenant's use is none of another's", async () => {
  const [one, other] = [await tenantWithout(), await tenantWithout()];
  const admin = { key: env.ADMIN_SECRET };
  const name = `of-${one.tenantId.toLowerCase().replaceAll("_", "-")}`;
  const body = { per: "tenant", match: { tenantId: one.tenantId }, measure: "messages", max: 1, window: "hour" };
  expect((await send("PUT", `/v1/admin/limits/${name}`, { ...admin, body })).status).toBe(201);
  try {
    const [mine, theirs] = [await session(one), await session(other)];
    await message(one, mine);
    expect(await message(one, mine)).toMatchObject({ status: 429, body: { limit: `admin/${name}`, scope: "tenant" } });
    for (let at = 0; at < 2; at++) expect((await message(other, theirs)).status).toBe(200);
    expect((await one.call("GET", `/v1/limits/${name}`)).status).toBe(404);
  } finally {
    await send("DELETE", `/v1/admin/limits/${name}`, admin);
  }
});

test("what was counted is known after the object was evicted, and a new window begins anew", async () => {
  const tenant = await tenantWithout();
  await tenant.call("PUT", "/v1/limits/hour", { per: "tenant", measure: "messages", max: 1, window: "hour" });
  const sessionId = await session(tenant);
  await message(tenant, sessionId);
  await evictDurableObject(env.TENANT_BUDGET.getByName(tenant.tenantId));
  expect((await message(tenant, sessionId)).status).toBe(429);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect((await message(tenant, sessionId)).status).toBe(200);
});

test("concurrent turns are limited: one that waits gives its place back", async () => {
  const tenant = await tenantWithout();
  await tenant.call("PUT", "/v1/limits/at-once", { per: "tenant", measure: "concurrentTurns", max: 1 });
  const sessionId = await session(tenant);
  expect((await message(tenant, sessionId)).status).toBe(200);
  await expect.poll(async () => (await tenant.call("GET", "/v1/limits/at-once/state")).body.reserved).toBe(0);
  expect((await message(tenant, sessionId)).status).toBe(200);
});

test("what is wrong with a limit is said, and other tenants' limits aren't there", async () => {
  const tenant = await newTenant();
  const wrong = [
    { per: "tenant", measure: "messages", max: 1.5 },
    { per: "tenant", measure: "sockets", max: 1, window: "day" },
    { per: "tenant", measure: "messages", max: 1, timeZone: "Mars/Olympus" },
    { per: "nobody", measure: "messages", max: 1 },
    { per: "tenant", measure: "messages", max: 1, extra: 1 },
  ];
  for (const body of wrong) expect((await tenant.call("PUT", "/v1/limits/wrong", body)).status).toBe(422);
  expect(
    (await tenant.call("POST", "/v1/limits/none/raise", { by: 1, until: "2100-01-01T00:00:00Z", reason: "x" })).status,
  ).toBe(404);
  expect(
    (
      await tenant.call("POST", "/v1/limits/messages-a-day/raise", {
        by: 1,
        until: "2020-01-01T00:00:00Z",
        reason: "x",
      })
    ).status,
  ).toBe(422);
});

test("sockets are limited: one that closes gives its place back", async () => {
  const tenant = await tenantWithout();
  await tenant.call("PUT", "/v1/limits/sockets", { per: "key", measure: "sockets", max: 1 });
  const sessionId = await session(tenant);
  const open = () =>
    send("GET", `/v1/sessions/${sessionId}/events`, { key: tenant.key, headers: { upgrade: "websocket" } });
  const first = await open();
  expect(first.status).toBe(101);
  first.webSocket?.accept();
  expect((await open()).status).toBe(429);
  first.webSocket?.close(1000, "done");
  await eventually(async () => {
    const again = await open();
    expect(again.status).toBe(101);
    again.webSocket?.accept();
  });
});

test("no turn is begun while as many questions are open as may be", async () => {
  const tenant = await tenantWithout();
  await tenant.call("PUT", "/v1/limits/asks", { per: "subject", measure: "openAsks", max: 1 });
  const model = await tenant.agent("asking", { tools: [{ server: "conclave", tool: "ask_human" }] });
  await model.reply(asksHuman("Which one?"));
  const [one, other] = [
    await tenant.session({ agent: "asking", subject: "ana" }),
    await tenant.session({ agent: "asking", subject: "ana" }),
  ];
  expect((await tenant.say(one, "Help")).status).toBe("waiting");
  const state = async () => (await tenant.call("GET", "/v1/limits/asks/state?subject=ana")).body;
  await eventually(async () => expect(await state()).toMatchObject({ used: 1, remaining: 0 }));
  expect(await tenant.call("POST", `/v1/sessions/${other}/messages`, { content: "Help" })).toMatchObject({
    status: 429,
    body: { code: "limit_reached", limit: "asks" },
  });
});

test("runs are refused at their start, and leave nothing", async () => {
  const tenant = await tenantWithout();
  await tenant.call("PUT", "/v1/limits/turns", { per: "tenant", measure: "turns", max: 0, window: "hour" });
  const team = newTeam({ orders: {} });
  const refused = await tenant.call("POST", "/v1/runs", { team: team.definition, input: "Do it." });
  expect(refused).toMatchObject({ status: 429, body: { code: "limit_reached" } });
  expect((await tenant.call("GET", "/v1/runs")).body.items).toEqual([]);
});

test("over OpenAI's API it is a rate limit, and a stateless call leaves nothing", async () => {
  const tenant = await tenantWithout();
  await tenant.call("PUT", "/v1/limits/none", { per: "tenant", measure: "messages", max: 0, window: "hour" });
  const refused = await tenant.call("POST", "/v1/chat/completions", {
    ...{ model: "assistant", messages: [{ role: "user", content: "Hello" }] },
  });
  expect(refused.status).toBe(429);
  expect(refused.body.error).toMatchObject({ type: "rate_limit_error", code: "rate_limit_exceeded" });
  expect(refused.headers.get("retry-after")).not.toBeNull();
});

test("a limit of money warns of models that nobody has priced", async () => {
  const tenant = await tenantWithout();
  await tenant.agent("unpriced");
  const { body } = await tenant.call("PUT", "/v1/limits/money", { per: "tenant", measure: "money", max: 1 });
  expect(body.warnings.length).toBeGreaterThan(0);
});

test("neither a turn that waits for a person holds a place, nor those behind it", async () => {
  const tenant = await tenantWithout();
  const model = await tenant.agent("asking", { tools: [{ server: "conclave", tool: "ask_human" }] });
  await tenant.call("PUT", "/v1/limits/at-once", { per: "tenant", measure: "concurrentTurns", max: 2 });
  await model.reply({ toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] });
  const sessionId = await tenant.session({ agent: "asking" });
  const reserved = async () => (await tenant.call("GET", "/v1/limits/at-once/state")).body.reserved;
  const say = () => tenant.call("POST", `/v1/sessions/${sessionId}/messages`, { content: "Hello", waitMs: 0 });
  expect((await say()).status).toBe(202);
  await expect.poll(reserved).toBe(0);
  expect((await say()).status).toBe(202);
  await expect.poll(reserved).toBe(0);
});
