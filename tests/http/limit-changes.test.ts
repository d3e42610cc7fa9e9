/** Limits that change while they count, and messages that become something else than they were admitted as. */
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { LimitStore } from "../../src/stores/limit-store.js";
import { connect, platforms } from "../support/chat-platforms.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { upstreamFor } from "../support/upstream-client.js";

afterEach(() => vi.restoreAllMocks());

async function tenantWith(limits: Record<string, object>): Promise<TestTenant> {
  const tenant = await newTenant();
  for (const { name } of (await tenant.call("GET", "/v1/limits")).body.items)
    await tenant.call("DELETE", `/v1/limits/${name}`);
  for (const [name, body] of Object.entries(limits))
    expect((await tenant.call("PUT", `/v1/limits/${name}`, body)).status).toBe(201);
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
  return tenant;
}

const state = async (tenant: TestTenant, name: string) => (await tenant.call("GET", `/v1/limits/${name}/state`)).body;

test("a limit that is stored anew keeps a raise of the same moment", async () => {
  const few = { per: "tenant", measure: "messages", max: 1, window: "total" };
  const tenant = await tenantWith({ few });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const { get } = LimitStore.prototype;
  // Between what the PUT reads and what it writes somebody raises the limit.
  vi.spyOn(LimitStore.prototype, "get").mockImplementationOnce(async function (this: LimitStore, ...of) {
    const known = await get.apply(this, of);
    vi.mocked(LimitStore.prototype.get).mockRestore();
    expect((await tenant.call("POST", "/v1/limits/few/raise", { by: 5, until, reason: "a fair" })).status).toBe(200);
    return known;
  });
  expect((await tenant.call("PUT", "/v1/limits/few", { ...few, max: 2 })).status).toBe(200);
  expect((await tenant.call("GET", "/v1/limits/few")).body).toMatchObject({ max: 2, raises: [{ by: 5, until }] });
  expect(await state(tenant, "few")).toMatchObject({ max: 7 });
});

test("a limit that measures something else now begins anew, and what was reserved before moves no other counter", async () => {
  const tenant = await tenantWith({ all: { per: "tenant", measure: "messages", max: 1, window: "total" } });
  const sessionId = await tenant.session();
  await tenant.say(sessionId, "Hello");
  expect(await state(tenant, "all")).toMatchObject({ used: 1 });
  await tenant.call("PUT", "/v1/limits/all", { per: "tenant", measure: "tokens", max: 1_000_000, window: "total" });
  expect(await state(tenant, "all")).toMatchObject({ used: 0, reserved: 0 });
  const model = await tenant.agent("scripted");
  await model.reply({ text: "Hello.", usage: { inputTokens: 100, outputTokens: 11 }, hold: "first" });
  const other = await tenant.session({ agent: "scripted" });
  const sent = tenant.say(other, "Hello");
  await model.until({ open: 1 });
  await tenant.call("PUT", "/v1/limits/all", { per: "tenant", measure: "turns", max: 3, window: "total" });
  await tenant.say(sessionId, "And now?");
  await model.release("first");
  await sent;
  // Its tokens are none of the turns that are counted now.
  await tenant.say(sessionId, "And now?");
  expect(await state(tenant, "all")).toMatchObject({ used: 2, reserved: 0 });
});

test("a window that is made longer is counted to its own end", async () => {
  const tenant = await tenantWith({ all: { per: "tenant", measure: "messages", max: 5, window: "hour" } });
  const sessionId = await tenant.session();
  await tenant.say(sessionId, "Hello");
  const hour = (await state(tenant, "all")).resetsAt;
  await tenant.call("PUT", "/v1/limits/all", { per: "tenant", measure: "messages", max: 5, window: "month" });
  const month = await state(tenant, "all");
  expect(Date.parse(month.resetsAt)).toBeGreaterThanOrEqual(Date.parse(hour));
});

test("a message whose question is closed while it is looked at begins a turn, and takes one", async () => {
  const tenant = await tenantWith({ turns: { per: "tenant", measure: "turns", max: 10, window: "total" } });
  const model = await tenant.agent("asking", { tools: [{ server: "conclave", tool: "ask_human" }] });
  await model.reply(
    { toolCalls: [{ name: "ask_human", arguments: { question: "Which?" } }] },
    { text: "Never mind.", repeat: true },
  );
  const judge = upstreamFor(env.TEST_UPSTREAM);
  const config = { url: judge.hookURL, secret: "s".repeat(32) };
  await tenant.put("supervisors", "judge", { kind: "http", hooks: ["request"], config });
  const allows = { body: { action: "allow" } };
  await judge.reply(allows, { ...allows, hold: "looking" }, { ...allows, repeat: true });
  const sessionId = await tenant.session({ agent: "asking", supervisors: ["judge"], whileWaiting: "answer" });
  const asking = await tenant.say(sessionId, "Help");
  expect(asking.status).toBe("waiting");
  const late = tenant.say(sessionId, "The first one");
  await judge.until({ open: 1 });
  const [ask] = asking.asks;
  await tenant.call("POST", `/v1/asks/${ask?.askId}/cancel`, {});
  await judge.release("looking");
  const turn = await late;
  expect(turn.turnId).not.toBe(asking.turnId);
  expect(await state(tenant, "turns")).toMatchObject({ used: 2 });
});

test("tokens are limited for each conversation of a chat channel, which reads so in its own words", async () => {
  const limit = { per: "conversation", measure: "tokens", max: 6_000, window: "day", userMessage: "Enough for today." };
  const tenant = await tenantWith({ talk: limit });
  const model = await tenant.agent("assistant");
  await model.reply({ text: "We open at nine.", usage: { inputTokens: 3_000, outputTokens: 20 } });
  const channel = await connect(tenant, platforms.generic);
  await channel.say(1, "When do you open?");
  await expect.poll(() => channel.texts()).toEqual(["We open at nine."]);
  const { conversation } = platforms.generic;
  await eventually(async () =>
    expect((await tenant.call("GET", `/v1/limits/talk/state?conversation=${conversation}`)).body).toMatchObject({
      used: 3_020,
      reserved: 0,
    }),
  );
  await channel.say(2, "And on Sunday?");
  await expect.poll(() => channel.texts()).toEqual(["We open at nine.", "Enough for today."]);
  expect(await model.requests()).toHaveLength(1);
  // Another conversation, and whoever writes without a channel, have room of their own.
  await model.reply({ text: "At ten." });
  expect((await tenant.say(await tenant.session(), "And you?")).status).toBe("completed");
});
