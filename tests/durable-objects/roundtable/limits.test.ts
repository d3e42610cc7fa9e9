/** Rounds and syntheses under their tenant's limits: admitted like turns, and paid for by one reservation each. */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import {
  everybodySpeaks,
  getTable,
  newPanel,
  readTable,
  requests,
  seat,
  startTable,
  takes,
} from "../../support/roundtables.js";

afterEach(() => vi.restoreAllMocks());

async function tenantWith(limits: Record<string, object>): Promise<TestTenant> {
  const tenant = await newTenant();
  for (const { name } of (await tenant.call("GET", "/v1/limits")).body.items)
    await tenant.call("DELETE", `/v1/limits/${name}`);
  for (const [name, body] of Object.entries(limits))
    expect((await tenant.call("PUT", `/v1/limits/${name}`, body)).status).toBe(201);
  return tenant;
}

const state = async (tenant: TestTenant, name: string) => (await tenant.call("GET", `/v1/limits/${name}/state`)).body;
const goOn = (tenant: TestTenant, sessionId: string, fields: object = {}) =>
  tenant.call("POST", `/v1/roundtables/${sessionId}/continue`, fields);

it("counts each round and each synthesis as a turn, and refuses the one that is too many before it begins", async () => {
  const tenant = await tenantWith({ three: { per: "tenant", measure: "turns", max: 3, window: "total" } });
  const panel = newPanel(["a", "b"], { rounds: 3 });
  await everybodySpeaks(panel, 2);
  await panel.analyst.reply({ text: "Both would." });
  const { sessionId } = await startTable(tenant, panel);
  expect((await goOn(tenant, sessionId)).body).toMatchObject({ currentRound: 2 });
  expect((await tenant.call("POST", `/v1/roundtables/${sessionId}/synthesis`, {})).status).toBe(200);
  // What begins nothing takes nothing: the synthesis is there already.
  expect((await tenant.call("POST", `/v1/roundtables/${sessionId}/synthesis`, {})).status).toBe(200);
  expect(await state(tenant, "three")).toMatchObject({ used: 3 });
  expect(await goOn(tenant, sessionId)).toMatchObject({ status: 429, body: { code: "limit_reached", limit: "three" } });
  expect(await getTable(tenant, { sessionId })).toMatchObject({ currentRound: 2, running: false });
  const refused = await tenant.call("POST", "/v1/roundtables", { topic: "And now?", ...newPanel(["a", "b"]).fields });
  expect(refused).toMatchObject({ status: 429, body: { code: "limit_reached" } });
  expect(refused.headers.get("ratelimit")).not.toBeNull();
  await expect.poll(async () => (await tenant.call("GET", "/v1/roundtables")).body.items).toHaveLength(1);
});

it("reserves tokens for a round before its seats are asked, and settles what they took", async () => {
  const limits = {
    all: { per: "tenant", measure: "tokens", max: 1_000_000, window: "total" },
    places: { per: "tenant", measure: "concurrentTurns", max: 1 },
  };
  const tenant = await tenantWith(limits);
  const panel = newPanel(["a", "b"], { rounds: 2 });
  await seat(panel, "a").reply({ ...takes("A."), usage: { inputTokens: 100, outputTokens: 10 }, hold: "a" });
  await seat(panel, "b").reply({ ...takes("B."), usage: { inputTokens: 200, outputTokens: 20 } });
  const started = tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields });
  await seat(panel, "a").until({ open: 1 });
  expect((await state(tenant, "all")).reserved).toBeGreaterThan(4_096);
  expect(await state(tenant, "places")).toMatchObject({ reserved: 1 });
  const other = await tenant.call("POST", "/v1/roundtables", { topic: "And this?", ...newPanel(["a", "b"]).fields });
  expect(other).toMatchObject({ status: 429, body: { limit: "places" } });
  await seat(panel, "a").release("a");
  const { usage } = readTable(await started);
  expect(usage).toMatchObject({ inputTokens: 300, outputTokens: 30 });
  await eventually(async () => {
    expect(await state(tenant, "all")).toMatchObject({ used: 330, reserved: 0, unsettled: 0 });
    expect(await state(tenant, "places")).toMatchObject({ reserved: 0 });
  });
});

it("takes nothing for a continue that is refused or waits for what a seat asked for, nor twice under one key", async () => {
  const tenant = await tenantWith({ few: { per: "tenant", measure: "turns", max: 2, window: "total" } });
  const panel = newPanel(["a", "b"], { rounds: 2 });
  await seat(panel, "a").reply(requests("What is the budget?", { priority: "required" }), takes("A."), takes("A2."));
  await seat(panel, "b").reply(takes("B."), takes("B2."));
  const { sessionId } = await startTable(tenant, panel);
  expect(await state(tenant, "few")).toMatchObject({ used: 1 });
  await goOn(tenant, sessionId);
  await goOn(tenant, sessionId, { rounds: -1 });
  expect(await state(tenant, "few")).toMatchObject({ used: 1 });
  const key = { "idempotency-key": "on" };
  const path = `/v1/roundtables/${sessionId}/continue`;
  for (let time = 0; time < 2; time++)
    expect((await tenant.call("POST", path, { skipPending: true }, key)).status).toBe(200);
  expect(await state(tenant, "few")).toMatchObject({ used: 2 });
});

it("asks the object that counts nothing where the tenant has no such limits", async () => {
  const tenant = await tenantWith({ sessions: { per: "tenant", measure: "sessions", max: 100 } });
  const budgets = Object.getPrototypeOf(env.TENANT_BUDGET);
  const asked = vi.spyOn(budgets, "getByName");
  const panel = newPanel(["a", "b"], { rounds: 2 });
  await everybodySpeaks(panel, 2);
  const { sessionId } = await startTable(tenant, panel);
  expect((await goOn(tenant, sessionId)).status).toBe(200);
  expect(asked.mock.calls.filter(([name]) => name === tenant.tenantId)).toEqual([]);
});
