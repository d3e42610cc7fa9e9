/** What teams remember over all their runs: whose turn it is, and who is busy, whatever happens in between. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { batch } from "../../../src/platform/sql.js";
import { D1TeamState, endWork } from "../../../src/stores/team-state.js";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { answerOpen, asksHuman, modelOf, newTeam, startRun } from "../../support/teams.js";

const day = 24 * 3_600_000;
const stateOf = (tenant: TestTenant, now: () => number = Date.now) => new D1TeamState(env.DB, tenant.tenantId, now);

async function rows(tenant: TestTenant, table: "routing_turns" | "worker_claims"): Promise<number> {
  const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE tenant_id = ?`;
  return (await env.DB.prepare(sql).bind(tenant.tenantId).first<number>("n")) ?? 0;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("how busy workers are", () => {
  /** A load-balanced team whose worker asks a person, and a run of it that waits. */
  async function waitingRun() {
    const tenant = await newTenant();
    const team = newTeam({ a: { tools: ["ask_human"] } }, { strategy: "load-balanced" });
    await tenant.put("teams", "desk", team.definition);
    await modelOf(team, "a").reply(asksHuman("Which?"), { text: "Done." });
    return { tenant, run: await startRun(tenant, "desk", "Help.") };
  }

  it("counts a task that waits for a person for an hour and no longer, and ends at zero when it goes on after a month", async () => {
    const { tenant, run } = await waitingRun();
    expect(run.status).toBe("waiting");
    expect(await stateOf(tenant).loads("desk")).toEqual({ a: 1 });
    vi.useFakeTimers({ now: Date.now() + 30 * day, toFake: ["Date"] });
    expect(await stateOf(tenant).loads("desk")).toEqual({});
    expect((await answerOpen(tenant, run, "this")).status).toBe("completed");
    expect(await stateOf(tenant).loads("desk")).toEqual({});
    await expect.poll(() => rows(tenant, "worker_claims")).toBe(0);
  });

  it("is at zero after a run that waited was cancelled", async () => {
    const { tenant, run } = await waitingRun();
    await tenant.call("POST", `/v1/runs/${run.runId}/cancel`);
    await expect.poll(() => stateOf(tenant).loads("desk")).toEqual({});
  });

  it("doesn't count what a run claims that has ended meanwhile", async () => {
    const tenant = await newTenant();
    const state = stateOf(tenant);
    await state.claim("t", "a", { work: "run_1", id: "w0" });
    await batch(env.DB, endWork(tenant.tenantId, "run_1", Date.now()));
    // Its last steps were on their way when it was cancelled.
    await state.claim("t", "a", { work: "run_1", id: "w1" });
    expect(await state.claimLeastBusy("t", ["a", "b"], { work: "run_1", id: "w2" })).toEqual({ worker: "a", load: 0 });
    expect(await state.loads("t")).toEqual({});
    expect(await state.claimLeastBusy("t", ["a", "b"], { work: "run_2", id: "w0" })).toEqual({ worker: "a", load: 0 });
    expect(await state.loads("t")).toEqual({ a: 1 });
  });

  it("keeps nothing of runs that ended long ago", async () => {
    const tenant = await newTenant();
    const { tenantId } = tenant;
    await batch(env.DB, endWork(tenantId, "run_1", 0));
    await batch(env.DB, endWork(tenantId, "run_2", day));
    expect(await rows(tenant, "worker_claims")).toBe(1);
  });
});

describe("whose turn it is", () => {
  it("is each team's own, of a team inside a team of the same strategy too", async () => {
    const tenant = await newTenant();
    const inner = newTeam({ a: {}, b: {} }, { strategy: "round-robin" });
    const outer = newTeam({ team: { team: "inner" }, alone: {} }, { strategy: "round-robin" });
    await tenant.put("teams", "inner", inner.definition);
    await tenant.put("teams", "outer", outer.definition);
    const models = [modelOf(inner, "a"), modelOf(inner, "b"), modelOf(outer, "alone")];
    for (const [index, model] of models.entries())
      await model.reply({ text: "a b alone".split(" ")[index] ?? "", repeat: true });
    const responses: (string | undefined)[] = [];
    for (let run = 0; run < 6; run++) responses.push((await startRun(tenant, "outer", "Help.")).response);
    expect(responses).toEqual(["a", "alone", "b", "alone", "a", "alone"]);
  });

  it("goes on where it was when a team is deleted and stored again under its name", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {}, b: {} }, { strategy: "round-robin" });
    for (const id of ["a", "b"]) await modelOf(team, id).reply({ text: id, repeat: true });
    await tenant.put("teams", "rota", team.definition);
    expect((await startRun(tenant, "rota", "Help.")).response).toBe("a");
    await tenant.call("DELETE", "/v1/teams/rota");
    await tenant.put("teams", "rota", team.definition);
    expect((await startRun(tenant, "rota", "Help.")).response).toBe("b");
  });

  it("is remembered for a team that is seldom used, and forgotten with one that isn't used any more", async () => {
    const tenant = await newTenant();
    let now = 0;
    const state = stateOf(tenant, () => now);
    await state.nextTurn("seldom", "run_1");
    expect(await state.nextTurn("seldom", "run_2")).toBe(1);
    now = 30 * day;
    await state.nextTurn("often", "run_3");
    expect(await state.nextTurn("seldom", "run_4")).toBe(2);
    // Of each team nothing but its newest turns is left.
    expect(await rows(tenant, "routing_turns")).toBe(2);
    now = 130 * day;
    expect(await state.nextTurn("often", "run_5")).toBe(1);
    expect(await rows(tenant, "routing_turns")).toBe(1);
  });
});
