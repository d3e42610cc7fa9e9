import { env } from "cloudflare:workers";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { supervisingAgent, toolCalls } from "../durable-objects/supervision/support.js";
import { newTenant, send, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { crash, passTime, ringAlarm } from "../support/objects.js";
import { modelOf, newTeam, routesTo, startRun } from "../support/teams.js";
import { upstreamFor } from "../support/upstream-client.js";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** One model for the file: its price is the deployment's. */
const model = upstreamFor(env.TEST_UPSTREAM);
const name = `openai/${model.model}`;
/** In dollars for a million tokens: a call of 100 and 1,000 tokens costs 1 cent, and may cost 4 at most. */
const prices = { input: 1, output: 9.9 };

beforeAll(async () => {
  const body = { currency: "USD", models: { [name]: prices } };
  const stored = await send("PUT", "/v1/admin/prices", { key: env.ADMIN_SECRET, body });
  expect(stored.status).toBeLessThan(300);
});

async function tenantWith(limits: Record<string, object>, fields: object = {}): Promise<TestTenant> {
  const tenant = await newTenant();
  for (const { name: own } of (await tenant.call("GET", "/v1/limits")).body.items)
    await tenant.call("DELETE", `/v1/limits/${own}`);
  for (const [own, body] of Object.entries(limits))
    expect((await tenant.call("PUT", `/v1/limits/${own}`, body)).status).toBe(201);
  await tenant.put("agents", "assistant", { kind: "model", model: name, instructions: "Answer.", ...fields });
  return tenant;
}

const stateOf = async (tenant: TestTenant, limit: string) =>
  (await tenant.call("GET", `/v1/limits/${limit}/state`)).body;
const message = (tenant: TestTenant, sessionId: string, waitMs = 60_000) =>
  tenant.call("POST", `/v1/sessions/${sessionId}/messages`, { content: "Hello there", waitMs });
const usage = { inputTokens: 100, outputTokens: 1_000 };

test("of fifty messages at once no more are let through than a limit of 40 cents pays for, and the others say when to come back", async () => {
  await model.reply({ text: "Done.", usage, repeat: true });
  const before = (await model.requests()).length;
  const tenant = await tenantWith({ "a-day": { per: "tenant", measure: "money", max: 0.4, window: "day" } });
  const sessions = await Promise.all(Array.from({ length: 50 }, () => tenant.session()));
  const answers = await Promise.all(sessions.map((sessionId) => message(tenant, sessionId)));
  const billed = ((await model.requests()).length - before) * 0.01;
  expect(billed).toBeLessThanOrEqual(0.4);
  // At the door, or by the call of a turn that was let in before the others took what there was.
  const refused = answers.filter(({ status, body }) => status === 429 || body.error?.code === "limit_reached");
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.filter(({ body }) => body.status === "completed").length + refused.length).toBe(50);
  await eventually(async () => expect(await stateOf(tenant, "a-day")).toMatchObject({ reserved: 0 }));
  expect((await stateOf(tenant, "a-day")).used).toBeCloseTo(billed, 5);
  let last = await message(tenant, await tenant.session());
  for (let more = 0; more < 40 && last.status === 200; more++) last = await message(tenant, await tenant.session());
  expect(last).toMatchObject({ status: 429, body: { code: "limit_reached" } });
  for (const field of ["retry-after", "ratelimit-policy", "ratelimit"]) expect(last.headers.get(field)).not.toBeNull();
  await eventually(async () => {
    const { items } = (await tenant.call("GET", "/v1/limit-events")).body;
    expect(items.filter(({ event }: { event: string }) => event === "limit.reached")).toHaveLength(1);
  });
});

test("a call whose object died counts as what it may cost; after a quarter of an hour nothing is reserved", async () => {
  const tenant = await tenantWith({ all: { per: "tenant", measure: "tokens", max: 1_000_000, window: "total" } });
  const own = await tenant.agent("scripted");
  await own.reply({ text: "It is", hold: "dying" });
  const sessionId = await tenant.session({ agent: "scripted" });
  await message(tenant, sessionId, 0);
  await own.until({ requests: 1 });
  const { reserved } = await stateOf(tenant, "all");
  expect(reserved).toBeGreaterThan(4_096);
  await crash();
  await own.release("dying");
  passTime(16 * 60_000);
  expect(await stateOf(tenant, "all")).toMatchObject({ reserved: 0, used: reserved, unsettled: reserved });
  // The work goes on after all: what the call that died may have cost stays, and the late settlement corrects the rest.
  await own.reply({ text: "It is noon.", usage: { inputTokens: 20, outputTokens: 5 } });
  await ringAlarm(tenant.object(sessionId));
  await eventually(async () => {
    const { used, reserved: left, unsettled } = await stateOf(tenant, "all");
    expect({ left, unsettled }).toEqual({ left: 0, unsettled: 0 });
    expect(used).toBeGreaterThan(4_096 + 25);
    expect(used).toBeLessThan(reserved + 25);
  });
});

test("a stream that its provider cuts counts as what it may cost", async () => {
  const tenant = await tenantWith({ all: { per: "tenant", measure: "tokens", max: 1_000_000, window: "total" } });
  const own = await tenant.agent("scripted");
  await own.reply({ text: "It is almost", cut: "reset", repeat: true });
  await tenant.stream(await tenant.session({ agent: "scripted" }), "Hello");
  await eventually(async () => expect(await stateOf(tenant, "all")).toMatchObject({ reserved: 0, unsettled: 0 }));
  expect((await stateOf(tenant, "all")).used).toBeGreaterThan(4_096);
});

test("without room in the middle of a turn it ends with the limit's code, what was done stays, and nothing is charged twice", async () => {
  const limits = { few: { per: "tenant", measure: "tokens", max: 12_000, window: "total", userMessage: "Enough." } };
  const tenant = await tenantWith(limits);
  const own = await tenant.agent("scripted", { tools: [{ server: "shop", tool: "look" }] });
  await tenant.put("tools", "look", {
    ...{ server: "shop", description: "Looks.", parameters: { type: "object", properties: {} } },
    http: { method: "POST", url: own.hookURL },
  });
  await own.reply(
    { toolCalls: [{ name: "look", arguments: {} }], usage: { inputTokens: 5_000, outputTokens: 3_000 } },
    { body: { found: true } },
  );
  const turn = await tenant.say(await tenant.session({ agent: "scripted" }), "Look");
  expect(turn).toMatchObject({ status: "failed", error: { code: "limit_reached" } });
  expect(turn.error?.content).toContain("Enough.");
  expect(turn.usage).toMatchObject({ inputTokens: 5_000 });
  expect(await own.requests()).toHaveLength(2);
  await eventually(async () => expect(await stateOf(tenant, "few")).toMatchObject({ used: 8_000, reserved: 0 }));
});

test("a limit of money lets no model be called that has no price", async () => {
  const tenant = await tenantWith({ "a-day": { per: "tenant", measure: "money", max: 1 } });
  const own = await tenant.agent("unpriced");
  const turn = await tenant.say(await tenant.session({ agent: "unpriced" }), "Hello");
  expect(turn).toMatchObject({ status: "failed", error: { code: "unpriced_model" } });
  // Operators read which model, and what to do; an end user nothing of money.
  expect(turn.failure).toContain(`openai/${own.model}`);
  expect(turn.failure).toContain("PUT /v1/admin/prices");
  expect(turn.error?.content).not.toMatch(/price|money|limit/);
  expect(await own.requests()).toHaveLength(0);
});

test("where the object that counts doesn't answer, no model is called; a tenant without limits never asks it", async () => {
  const limited = await tenantWith({ many: { per: "tenant", measure: "tokens", max: 1_000_000 } });
  const free = await tenantWith({});
  const [own, other] = [await limited.agent("scripted"), await free.agent("scripted")];
  await other.reply({ text: "Done." });
  const [mine, theirs] = [await limited.session({ agent: "scripted" }), await free.session({ agent: "scripted" })];
  const budgets = Object.getPrototypeOf(env.TENANT_BUDGET);
  const { getByName } = budgets;
  const asked: string[] = [];
  vi.spyOn(budgets, "getByName").mockImplementation(function (this: unknown, ...of: unknown[]) {
    const [path] = of;
    const isOfBudget = path === limited.tenantId || path === free.tenantId;
    if (!isOfBudget) return getByName.apply(this, of);
    asked.push(String(path));
    throw new Error("nobody is there");
  });
  expect(await message(limited, mine)).toMatchObject({ status: 503, body: { code: "limits_unavailable" } });
  expect(await own.requests()).toHaveLength(0);
  expect((await message(free, theirs)).status).toBe(200);
  expect(new Set(asked)).toEqual(new Set([limited.tenantId]));
});

test("supervising agents and a team's supervisor and workers pay too", async () => {
  const tenant = await tenantWith({ all: { per: "tenant", measure: "tokens", max: 1_000_000, window: "total" } });
  const own = await tenant.agent("scripted");
  await tenant.put("supervisors", "judge", {
    ...{ kind: "agent", hooks: ["request"], onFailure: "allow" },
    config: { model: `openai/${own.model}`, instructions: "Allow." },
  });
  await own.reply(
    { toolCalls: [{ name: "allow_message", arguments: {} }], usage: { inputTokens: 10, outputTokens: 5 } },
    { text: "Hello.", usage: { inputTokens: 20, outputTokens: 7 } },
  );
  const turn = await tenant.say(await tenant.session({ agent: "scripted", supervisors: ["judge"] }), "Hello");
  expect(turn.status).toBe("completed");
  await eventually(async () => expect(await stateOf(tenant, "all")).toMatchObject({ used: 42, reserved: 0 }));
  const team = newTeam({ orders: {} });
  await team.supervisor.reply(routesTo("orders"));
  await modelOf(team, "orders").reply({ text: "It ships today.", usage: { inputTokens: 30, outputTokens: 8 } });
  const run = await startRun(tenant, team.definition, "Do it.");
  expect(run.status).toBe("completed");
  await eventually(async () => {
    const { used, reserved } = await stateOf(tenant, "all");
    expect({ used, reserved }).toEqual({ used: 42 + run.usage.inputTokens + run.usage.outputTokens, reserved: 0 });
  });
});

test("who uses up a limit switches no supervisor off by it: what it can't judge isn't let through", async () => {
  const tenant = await tenantWith({ all: { per: "tenant", measure: "tokens", max: 6_500, window: "total" } });
  const own = await tenant.agent("scripted");
  await tenant.put("supervisors", "judge", {
    ...{ kind: "agent", hooks: ["response"], onFailure: "allow" },
    config: { model: `openai/${own.model}`, instructions: "Allow." },
  });
  await own.reply({ text: "The secret.", usage: { inputTokens: 100, outputTokens: 4_000 }, repeat: true });
  const turn = await tenant.say(await tenant.session({ agent: "scripted", supervisors: ["judge"] }), "Hello");
  expect(turn).toMatchObject({ status: "blocked" });
  expect(JSON.stringify(turn)).not.toContain("The secret.");
  expect(await own.requests()).toHaveLength(1);
});

test("two memories of one tenant are counted apart, though their threads name their work alike", async () => {
  const tenant = await tenantWith({ all: { per: "tenant", measure: "tokens", max: 1_000_000, window: "total" } });
  const own = await tenant.agent("scripted");
  const entry = { toolCalls: [{ name: "add_entry", arguments: { raw_entry: "Likes tea.", summary: "Likes tea." } }] };
  await own.reply({ ...entry, usage: { inputTokens: 100, outputTokens: 10 }, repeat: true });
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "v" })).body;
  for (const title of ["one", "two"]) {
    const { memoryId } = (
      await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, { title, model: `openai/${own.model}` })
    ).body;
    await tenant.call("POST", `/v1/memories/${memoryId}/threads/t/start`);
    await tenant.call("POST", `/v1/memories/${memoryId}/threads/t/messages`, { role: "user", content: "I like tea." });
    await tenant.call("POST", `/v1/memories/${memoryId}/await-consistency`, {
      threadId: "t",
      level: "indexed",
      timeoutMs: 30_000,
    });
  }
  await expect.poll(async () => (await own.requests()).length).toBeGreaterThanOrEqual(2);
  // Told by the thread that took it, and not by the alarm that looks after threads that died: that one rings after 15 seconds.
  await expect
    .poll(async () => (await stateOf(tenant, "all")).used, { timeout: 12_000 })
    .toBeGreaterThanOrEqual(110 * (await own.requests()).length);
});

test("who judges a write to a memory, or a text that is tried, is paid from the limits too; without room nobody is asked", async () => {
  const tenant = await tenantWith({
    all: { per: "tenant", measure: "tokens", max: 14_000, window: "total", userMessage: "That is all for today." },
  });
  const judge = await supervisingAgent(tenant, "judge", { onFailure: "allow" });
  await judge.reply({
    ...toolCalls(["allow_message", {}]),
    usage: { inputTokens: 500, outputTokens: 3_000 },
    repeat: true,
  });
  await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["judge"] } });
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "v" })).body;
  const { memoryId } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, { title: "m" })).body;
  const write = () => tenant.call("POST", `/v1/memories/${memoryId}/entries`, { rawEntry: "I live in Turin." });
  const trial = () => tenant.call("POST", "/v1/try", { supervisors: ["judge"], on: { text: "Hello" } });
  // A memory's own model, which nothing answers here, is asked beside it for a moment.
  const settledAt = (used: number) =>
    eventually(async () => expect(await stateOf(tenant, "all")).toMatchObject({ used, reserved: 0 }));
  expect((await write()).status).toBe(201);
  await settledAt(3_500);
  expect((await trial()).status).toBe(200);
  await settledAt(7_000);
  expect((await write()).status).toBe(201);
  await settledAt(10_500);
  const before = (await judge.requests()).length;
  for (const refused of [await write(), await trial()]) {
    expect(refused).toMatchObject({
      status: 429,
      body: { code: "limit_reached", userMessage: "That is all for today." },
    });
    expect(refused.headers.get("retry-after")).not.toBeNull();
  }
  expect(await judge.requests()).toHaveLength(before);
  expect((await tenant.call("GET", `/v1/memories/${memoryId}/entries`)).body.items).toHaveLength(2);
});

test("a write whose judge has no price is refused under a limit of money, and says what to do", async () => {
  const tenant = await tenantWith({ money: { per: "tenant", measure: "money", max: 100, window: "day" } });
  await supervisingAgent(tenant, "judge");
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: "v" })).body;
  const { memoryId } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, { title: "m" })).body;
  await tenant.call("PATCH", "/v1/tenant", { settings: { supervisors: ["judge"] } });
  const refused = await tenant.call("POST", `/v1/memories/${memoryId}/entries`, { rawEntry: "I live in Turin." });
  expect(refused).toMatchObject({ status: 429, body: { code: "limit_reached" } });
  expect(refused.body.detail).toContain("PUT /v1/admin/prices");
});
