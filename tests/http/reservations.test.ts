/** What is reserved and what it comes to: through cut streams and crashes, beside the turn, and while sockets are open. */
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { newTenant, send, type TestTenant } from "../support/conclave.js";
import { eventually } from "../support/eventually.js";
import { crash, passTime, ringAlarm } from "../support/objects.js";

afterEach(() => vi.useRealTimers());

async function tenantWith(limit: object): Promise<TestTenant> {
  const tenant = await newTenant();
  for (const { name } of (await tenant.call("GET", "/v1/limits")).body.items)
    await tenant.call("DELETE", `/v1/limits/${name}`);
  expect((await tenant.call("PUT", "/v1/limits/all", { per: "tenant", ...limit })).status).toBe(201);
  return tenant;
}

const tokens = { measure: "tokens", max: 1_000_000, window: "total" };
const state = async (tenant: TestTenant) => (await tenant.call("GET", "/v1/limits/all/state")).body;
const send0 = (tenant: TestTenant, sessionId: string) =>
  tenant.call("POST", `/v1/sessions/${sessionId}/messages`, { content: "Hello", waitMs: 0 });

it("after 20 streams that clients cut and 5 crashes in the middle nothing is reserved, and nothing billed is forgotten", async () => {
  const tenant = await tenantWith(tokens);
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Hello there.", usage: { inputTokens: 100, outputTokens: 50 }, repeat: true });
  const sessions = await Promise.all(Array.from({ length: 20 }, () => tenant.session()));
  await Promise.all(
    sessions.map(async (sessionId) => {
      const headers = { accept: "text/event-stream" };
      const path = `/v1/sessions/${sessionId}/messages`;
      const stream = await send("POST", path, { key: tenant.key, body: { content: "Hello" }, headers });
      await stream.body?.cancel();
    }),
  );
  await eventually(async () => expect(await state(tenant)).toMatchObject({ used: 20 * 150, reserved: 0 }));
  const slice = 4_096 + Math.ceil(1.1 * 1_100);
  for (let kill = 0; kill < 5; kill++) {
    const own = await tenant.agent(`dying${kill}`);
    await own.reply(
      { text: "Hello", usage: { inputTokens: 100, outputTokens: 50 }, hold: "dying" },
      { text: "Hello there.", usage: { inputTokens: 100, outputTokens: 50 }, repeat: true },
    );
    const sessionId = await tenant.session({ agent: `dying${kill}` });
    await send0(tenant, sessionId);
    await own.until({ open: 1 });
    await crash();
    await own.release("dying");
    await ringAlarm(tenant.object(sessionId));
    await own.until({ requests: 2 });
  }
  passTime(16 * 60_000);
  const billed = (20 + 2 * 5) * 150;
  await eventually(async () => {
    const { used, reserved, unsettled } = await state(tenant);
    expect({ reserved, unsettled }).toEqual({ reserved: 0, unsettled: 0 });
    expect(used).toBeGreaterThanOrEqual(billed);
    expect(used).toBeLessThanOrEqual(billed + 25 * slice);
  });
});

it("reserves twice what an agent's turns usually come to, so that such a turn asks once; but no more than a part of what is left", async () => {
  const tenant = await tenantWith(tokens);
  const model = await tenant.agent("assistant");
  const usage = { inputTokens: 10_000, outputTokens: 2_000 };
  await model.reply(
    { text: "At length.", usage },
    { text: "At length.", usage },
    { text: "At length.", usage, hold: "third" },
  );
  const sessionId = await tenant.session();
  for (let turn = 0; turn < 2; turn++) await tenant.say(sessionId, "Hello");
  await eventually(async () => expect(await state(tenant)).toMatchObject({ used: 24_000, reserved: 0 }));
  await send0(tenant, sessionId);
  await model.until({ open: 1 });
  expect(await state(tenant)).toMatchObject({ reserved: 24_000 });
  await model.release("third");
  await eventually(async () => expect(await state(tenant)).toMatchObject({ used: 36_000, reserved: 0 }));
  await tenant.call("PUT", "/v1/limits/all", { per: "tenant", ...tokens, max: 80_000 });
  await model.reply({ text: "At length.", usage, hold: "fourth" });
  await send0(tenant, sessionId);
  await model.until({ open: 1 });
  expect((await state(tenant)).reserved).toBeLessThanOrEqual(6_000);
  await model.release("fourth");
});

it("lets shadows pay for what they ask, and without room asks nothing for them", async () => {
  const tenant = await tenantWith(tokens);
  const [model, judge] = [await tenant.agent("assistant"), await tenant.agent("judge")];
  await tenant.put("supervisors", "shadow", {
    ...{ kind: "agent", hooks: ["request"], mode: "shadow" },
    config: { model: `openai/${judge.model}`, instructions: "Allow." },
  });
  await model.reply({ text: "Hello.", usage: { inputTokens: 20, outputTokens: 5 }, repeat: true });
  const allows = { toolCalls: [{ name: "allow_message", arguments: {} }] };
  await judge.reply({ ...allows, usage: { inputTokens: 300, outputTokens: 7 } });
  const sessionId = await tenant.session({ supervisors: ["shadow"] });
  expect((await tenant.say(sessionId, "Hello")).status).toBe("completed");
  await eventually(async () => expect(await state(tenant)).toMatchObject({ used: 332, reserved: 0 }));
  await tenant.call("PUT", "/v1/limits/all", { per: "agent", match: { agent: "assistant" }, ...tokens, max: 6_000 });
  expect((await tenant.say(sessionId, "Hello")).status).toBe("completed");
  await eventually(async () => expect((await tenant.call("GET", "/v1/limits/all/state")).body.reserved).toBe(0));
  expect(await judge.requests()).toHaveLength(1);
});

it("gives a socket's place back with its session, and half an hour after its Worker died; not while it is open", async () => {
  const tenant = await tenantWith({ measure: "sockets", max: 2 });
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
  const open = async (sessionId: string) => {
    const path = `/v1/sessions/${sessionId}/events`;
    const answer = await send("GET", path, { key: tenant.key, headers: { upgrade: "websocket" } });
    answer.webSocket?.accept();
    return answer;
  };
  const [one, other] = [await tenant.session(), await tenant.session()];
  expect((await open(one)).status).toBe(101);
  expect((await open(other)).status).toBe(101);
  expect((await open(other)).status).toBe(429);
  await tenant.call("DELETE", `/v1/sessions/${one}`);
  await eventually(async () => expect((await state(tenant)).reserved).toBe(1));
  // It sleeps, and says all the same that the socket is open.
  await evictDurableObject(tenant.object(other));
  for (let time = 0; time < 4; time++) {
    passTime(10 * 60_000 + 1);
    await runDurableObjectAlarm(tenant.object(other));
    await eventually(async () => expect((await state(tenant)).reserved).toBe(1));
  }
  passTime(31 * 60_000);
  expect((await state(tenant)).reserved).toBe(0);
  await evictDurableObject(env.TENANT_BUDGET.getByName(tenant.tenantId));
  expect((await open(other)).status).toBe(101);
});
