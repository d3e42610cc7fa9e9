/** A hot tenant's limits in shards: never more than there is, whatever dies, is lost or comes late. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { composeServices } from "../../../src/composition/services.js";
import { problem } from "../../../src/conversation/problem.js";
import { BudgetGateway } from "../../../src/gateways/budget-gateway.js";
import type { Demand } from "../../../src/tenancy/limits/demand.js";
import { hotCallsPerSecond, shardCount, shardOf } from "../../../src/tenancy/limits/leases.js";
import { newTenant } from "../../support/conclave.js";
import { eventually } from "../../support/eventually.js";
import { passTime } from "../../support/objects.js";

const { budgets } = composeServices(env);

beforeEach(() => {
  // A second that lasts.
  vi.setSystemTime(Date.now());
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const demand = (amount: number, more: Partial<Demand> = {}): Demand => ({
  ...{ limit: "all", scope: "tenant", measure: "tokens", max: 1_000, window: "total", timeZone: "UTC" },
  ...{ warnAt: [80], isEnforced: true, amount, ...more },
});

let tenants = 0;
const newName = (): string => `ten_shards${++tenants}${crypto.randomUUID().slice(0, 8)}`;

/** So many calls in one second that callers are told to go to shards. */
async function heat(tenantId: string): Promise<void> {
  const counted = demand(1, { limit: "warm", measure: "requests", max: 1_000_000 });
  for (let call = 0; call <= hotCallsPerSecond; call++) await budgets.take(tenantId, { step: 0, demands: [counted] });
}

const shardStub = (tenantId: string, shard: number) => env.TENANT_BUDGET.getByName(`${tenantId}/shard-${shard}`);

/** Time passes until leases end, and the alarms of all shards that have one ring. */
async function leasesEnd(tenantId: string, afterMs = 61_000): Promise<void> {
  passTime(afterMs);
  await Promise.all(
    Array.from({ length: shardCount }, (_, shard) => runDurableObjectAlarm(shardStub(tenantId, shard))),
  );
}

const state = (tenantId: string) => budgets.state(tenantId, demand(0));
const take = (tenantId: string, work: string, amount = 16) =>
  budgets.take(tenantId, { work, step: 0, demands: [demand(amount)] });

/** A reservation's name says where it lies, hot or not. */
const inShard = (work: string, shard: number): string => `${work}@${shard}`;

it("is told to callers above a rate alone, and not of what is in use at one time", async () => {
  const tenantId = newName();
  await take(tenantId, "trn_cold");
  expect(budgets.reservationFor(tenantId, "trn_1", "ana", [demand(1)])).toBe("trn_1");
  await heat(tenantId);
  expect(budgets.reservationFor(tenantId, "trn_1", "ana", [demand(1)])).toBe(`trn_1@${shardOf("ana")}`);
  const places = [demand(1), demand(1, { measure: "concurrentTurns", limit: "places" })];
  expect(budgets.reservationFor(tenantId, "trn_1", "ana", places)).toBe("trn_1");
  expect(budgets.reservationFor(newName(), "trn_1", "ana", [demand(1)])).toBe("trn_1");
  passTime(60_001);
  expect(budgets.reservationFor(tenantId, "trn_1", "ana", [demand(1)])).toBe("trn_1");
});

it("lets all shards together take no more than there is, and gives back what isn't used when leases end", async () => {
  const tenantId = newName();
  const works = Array.from({ length: 120 }, (_, at) => inShard(`trn_${at}`, shardOf(`k${at}`)));
  const results = await Promise.all(works.map((work) => take(tenantId, work)));
  const taken = works.filter((_, at) => results[at]?.ok === true);
  expect(taken.length * 16).toBeLessThanOrEqual(1_000);
  // Some of what is left lies in leases.
  expect(taken.length * 16).toBeGreaterThan(700);
  const full = await state(tenantId);
  expect(full.used + full.reserved).toBeLessThanOrEqual(1_000);
  expect(results.find((result) => !result.ok)).toMatchObject({
    problem: { code: "limit_reached", reached: { limit: "all" } },
  });
  // Each is settled twice, as after a crash.
  const settled = taken.map((work) => ({ work, upTo: 0, tokens: 10, money: 0 }));
  for (let time = 0; time < 2; time++) await budgets.settle(tenantId, settled);
  await leasesEnd(tenantId);
  await eventually(async () =>
    expect(await state(tenantId)).toMatchObject({ used: taken.length * 10, reserved: 0, unsettled: 0 }),
  );
  // What was given back is there for whoever comes next, on any way.
  const left = 1_000 - taken.length * 10;
  expect((await take(tenantId, "trn_root", left)).ok).toBe(true);
  expect((await take(tenantId, "trn_more", 1)).ok).toBe(false);
});

it("asks nobody for a second after it was refused", async () => {
  const tenantId = newName();
  expect((await take(tenantId, "trn_all", 1_000)).ok).toBe(true);
  const renewed = vi.spyOn(BudgetGateway.prototype, "renew");
  const asked = () => renewed.mock.calls.filter(([of]) => of === tenantId).length;
  const work = inShard("trn_1", 5);
  for (let time = 0; time < 5; time++) expect((await take(tenantId, `${time}_${work}`, 1)).ok).toBe(false);
  expect(asked()).toBe(1);
  passTime(1_001);
  expect((await take(tenantId, work, 1)).ok).toBe(false);
  expect(asked()).toBe(2);
});

it("knows its leases after an eviction, and what was taken of them twice is taken once", async () => {
  const tenantId = newName();
  const work = inShard("trn_1", 3);
  expect((await take(tenantId, work)).ok).toBe(true);
  await evictDurableObject(shardStub(tenantId, 3));
  const renewed = vi.spyOn(BudgetGateway.prototype, "renew");
  for (let time = 0; time < 2; time++) expect((await take(tenantId, work)).ok).toBe(true);
  expect(renewed.mock.calls.filter(([of]) => of === tenantId)).toEqual([]);
  await evictDurableObject(env.TENANT_BUDGET.getByName(tenantId));
  await budgets.settle(tenantId, [{ work, upTo: 0, tokens: 16, money: 0 }]);
  await leasesEnd(tenantId);
  await eventually(async () => expect(await state(tenantId)).toMatchObject({ used: 16, reserved: 0 }));
});

it("counts as spent what a shard kept that nobody hears of, until it is heard of again", async () => {
  const tenantId = newName();
  const work = inShard("trn_1", 7);
  await take(tenantId, work);
  const { reserved } = await state(tenantId);
  expect(reserved).toBe(50);
  passTime(16 * 60_000);
  expect(await state(tenantId)).toMatchObject({ used: 50, reserved: 0, unsettled: 50 });
  await budgets.settle(tenantId, [{ work, upTo: 0, tokens: 4, money: 0 }]);
  await leasesEnd(tenantId);
  await eventually(async () => expect(await state(tenantId)).toMatchObject({ used: 4, reserved: 0, unsettled: 0 }));
});

it("corrects what the root leased in an answer that was lost, and an older word changes nothing", async () => {
  const tenantId = newName();
  const { renew } = BudgetGateway.prototype;
  const words: Parameters<typeof renew>[] = [];
  vi.spyOn(BudgetGateway.prototype, "renew").mockImplementation(async function (this: BudgetGateway, ...of) {
    if (of[0] !== tenantId) return renew.apply(this, of);
    words.push(of);
    const answer = await renew.apply(this, of);
    if (words.length === 1) throw problem("limits_unavailable", "The answer was lost.");
    return answer;
  });
  const work = inShard("trn_1", 2);
  expect(await take(tenantId, work)).toMatchObject({ ok: false, problem: { code: "limits_unavailable" } });
  expect(await state(tenantId)).toMatchObject({ reserved: 50 });
  expect((await take(tenantId, work)).ok).toBe(true);
  expect(await state(tenantId)).toMatchObject({ reserved: 50 });
  const [first] = words;
  if (first !== undefined) await budgets.renew(...first);
  expect(await state(tenantId)).toMatchObject({ reserved: 50 });
});

it("counts a hot tenant's turns, settles them in their shard, and goes with the tenant", async () => {
  const tenant = await newTenant();
  const { tenantId } = tenant;
  await tenant.call("PUT", "/v1/limits/all", { per: "tenant", measure: "tokens", max: 1_000_000, window: "total" });
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Hello.", usage: { inputTokens: 30, outputTokens: 12 }, repeat: true });
  const sessionId = await tenant.session({ subject: "ana" });
  await heat(tenantId);
  // The first is told to go to shards; what it had reserved before is settled where it lies.
  for (let turn = 0; turn < 3; turn++) expect((await tenant.say(sessionId, "Hello")).status).toBe("completed");
  const shard = shardStub(tenantId, shardOf("ana"));
  const spent = () =>
    runInDurableObject(shard, (_object, { storage }) =>
      storage.sql.exec("SELECT used, reserved FROM counters WHERE limit_name = 'all'").one(),
    );
  await eventually(async () => expect(await spent()).toEqual({ used: 84, reserved: 0 }));
  await leasesEnd(tenantId);
  await eventually(async () =>
    expect((await tenant.call("GET", "/v1/limits/all/state")).body).toMatchObject({ used: 126, reserved: 0 }),
  );
  await budgets.remove(tenantId);
  const tables = await runInDurableObject(shard, (_object, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'counters'").toArray(),
  );
  expect(tables).toEqual([]);
});
