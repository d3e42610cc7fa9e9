/** A provider that has too much to do: what is durable waits for it, and says until when; who comes back by themselves is told to. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { complete, user } from "../openai/support.js";
import { newTenant } from "../support/conclave.js";
import { passTime } from "../support/objects.js";
import { getTable, newPanel, seat, startTable, tableObject, takes } from "../support/roundtables.js";
import { getRun, modelOf, newTeam, routesTo, runObject } from "../support/teams.js";
import type { ScriptedReply } from "../support/upstream-client.js";

const error = { error: { message: "slow down", code: "rate_limit_exceeded" } };
const limited = (seconds?: number): ScriptedReply => ({
  status: 429,
  body: error,
  ...(seconds === undefined ? {} : { headers: { "retry-after": String(seconds) } }),
});

afterEach(() => void vi.useRealTimers());

/** Until what says when it is tried again does. */
async function waitingAt(read: () => Promise<{ retryAt?: string | undefined }>): Promise<number> {
  let at = Number.NaN;
  const look = async () => {
    at = Date.parse((await read()).retryAt ?? "");
    return at;
  };
  await expect.poll(look, { timeout: 20_000 }).not.toBeNaN();
  return at;
}

async function wake(object: Parameters<typeof runDurableObjectAlarm>[0], at: number): Promise<void> {
  passTime(at - Date.now() + 1);
  await runDurableObjectAlarm(object);
}

describe("a provider's rate limit", () => {
  it("makes a turn wait as long as it says, and no attempt is made before", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply(limited(40), { text: "Here it is." });
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "Hello?", { waitMs: 0 });
    const at = await waitingAt(() => tenant.turn(session, turnId, 0));
    expect(at - Date.now()).toBeGreaterThan(30_000);
    expect(await model.requests()).toHaveLength(1);
    await wake(tenant.object(session), at);
    const turn = await tenant.turn(session, turnId);
    expect(turn).toMatchObject({ status: "completed", usage: { modelCalls: 2 } });
    expect(turn.retryAt).toBeUndefined();
    expect(await model.requests()).toHaveLength(2);
  });

  it("that lasts longer than is waited for fails the turn, with a code", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply({ ...limited(3_600), repeat: true });
    const turn = await tenant.say(await tenant.session(), "Hello?");
    expect(turn).toMatchObject({ status: "failed", error: { code: "rate_limited", retryAfterSeconds: 3_600 } });
  });

  it("that is over at once is waited for all the same, and not again and again where nothing may wait", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    await model.reply(limited(0), limited(0), limited(0), { text: "Here it is." });
    const session = await tenant.session();
    const { turnId } = await tenant.say(session, "Hello?", { waitMs: 0 });
    const at = await waitingAt(() => tenant.turn(session, turnId, 0));
    expect(at - Date.now()).toBeGreaterThan(1_000);
    await wake(tenant.object(session), at);
    expect(await tenant.turn(session, turnId)).toMatchObject({ status: "completed" });

    vi.useRealTimers();
    const other = await newTenant();
    const busy = await other.agent("assistant");
    await busy.reply({ ...limited(0), repeat: true });
    expect(await complete(other, [user("Hello?")])).toMatchObject({ status: 429 });
    expect((await busy.requests()).length).toBeLessThan(10);
  });

  it("that nobody's waiting ends, a quota that is used up, fails the turn at once", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const body = { error: { message: "You exceeded your current quota.", code: "insufficient_quota" } };
    await model.reply({ status: 429, body, repeat: true });
    expect(await tenant.say(await tenant.session(), "Hello?")).toMatchObject({ status: "failed" });
    expect(await model.requests()).toHaveLength(1);
  });

  it("makes a run wait, its other workers done", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {}, b: {} });
    await team.supervisor.reply(routesTo(["a", "b"]));
    await modelOf(team, "a").reply({ text: "A." });
    await modelOf(team, "b").reply(limited(40), { text: "B." });
    const { runId } = (await tenant.call("POST", "/v1/runs", { team: team.definition, input: "Help.", waitMs: 0 }))
      .body;
    const at = await waitingAt(() => getRun(tenant, runId, 0));
    await wake(runObject(tenant, runId), at);
    expect(await getRun(tenant, runId)).toMatchObject({ status: "completed", response: "A.\n\nB." });
    expect(await modelOf(team, "a").requests()).toHaveLength(1);
  });

  it("makes a round wait", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 1 });
    await seat(panel, "a").reply(takes("Ship it."));
    await seat(panel, "b").reply(limited(40), takes("Wait."));
    const table = await startTable(tenant, panel, { waitMs: 0 });
    await tenant.call("POST", `/v1/roundtables/${table.sessionId}/continue`, { waitMs: 0 });
    const at = await waitingAt(() => getTable(tenant, table, 0));
    await wake(tableObject(tenant, table), at);
    const after = await getTable(tenant, table);
    expect(after.responses).toHaveLength(2);
    expect(after.failures ?? []).toEqual([]);
  });

  it("stays a 429 for OpenAI's clients, and a prompt that is too long a 400", async () => {
    const tenant = await newTenant();
    const model = await tenant.agent("assistant");
    const tooLong = { status: 400, body: { error: { message: "too long", code: "context_length_exceeded" } } };
    await model.reply(limited(7), tooLong);
    const ask = () => complete(tenant, [user("Hello?")]);
    expect(await ask()).toMatchObject({ status: 429, body: { error: { code: "rate_limit_exceeded" } } });
    expect(await ask()).toMatchObject({ status: 400, body: { error: { code: "context_length_exceeded" } } });
    await model.reply(limited(7));
    expect((await ask()).headers.get("retry-after")).toBe("7");
  });

  it("isn't what a used-up budget is: that is a 400", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {} }, {}, { limits: { maxTokens: 1 } });
    await team.supervisor.reply({ ...routesTo("a"), repeat: true });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    expect(await complete(tenant, [user("Hello?")])).toMatchObject({
      status: 400,
      body: { error: { code: "budget_exceeded" } },
    });
    const run = await tenant.call("POST", "/v1/runs", { team: "desk", input: "Help." });
    expect(run.body).toMatchObject({ status: "failed", error: { code: "budget_exceeded" } });
  });
});
