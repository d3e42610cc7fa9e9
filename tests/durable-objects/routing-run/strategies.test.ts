import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { D1TeamState } from "../../../src/stores/team-state.js";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { modelOf, newTeam, startRun } from "../../support/teams.js";

const stateOf = (tenant: TestTenant) => new D1TeamState(env.DB, tenant.tenantId, Date.now);

describe("round-robin", () => {
  it("over many runs at once is even, and goes on where it was (fault 8)", async () => {
    const tenant = await newTenant();
    const ids = ["a", "b", "c", "d", "e"];
    const team = newTeam(Object.fromEntries(ids.map((id) => [id, {}])), { strategy: "round-robin" });
    for (const id of ids) await modelOf(team, id).reply({ text: "Done.", repeat: true });
    await tenant.put("teams", "rota", team.definition);
    const runs = await Promise.all(Array.from({ length: 40 }, () => startRun(tenant, "rota", "Help.")));
    expect(runs.every(({ status }) => status === "completed")).toBe(true);
    const counts = ids.map((id) => runs.filter(({ decisions }) => decisions[0]?.targetAgent === id).length);
    expect(counts).toEqual([8, 8, 8, 8, 8]);
  });

  it("gives a step that is redone the turn it had", async () => {
    const tenant = await newTenant();
    const state = stateOf(tenant);
    expect(await state.nextTurn("t", "run_1/s0")).toBe(0);
    expect(await state.nextTurn("t", "run_2/s0")).toBe(1);
    expect(await state.nextTurn("t", "run_1/s0")).toBe(0);
    expect(await state.nextTurn("t", "run_3/s0")).toBe(2);
    expect(await state.nextTurn("other", "run_3/s0")).toBe(0);
  });

  it("keeps the state of each tenant apart", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    expect(await stateOf(one).nextTurn("t", "x")).toBe(0);
    expect(await stateOf(other).nextTurn("t", "x")).toBe(0);
  });
});

describe("load-balanced", () => {
  it("takes the least busy worker, and is at zero again after successes, failures and a cancel (fault 8)", async () => {
    const tenant = await newTenant();
    const team = newTeam(
      { a: {}, b: {} },
      { strategy: "load-balanced", maxIterations: 1 },
      { limits: { maxWorkerRetries: 0 } },
    );
    await tenant.put("teams", "desk", team.definition);
    await modelOf(team, "a").reply({ text: "Done.", hold: "for ever" });
    await modelOf(team, "b").reply({ status: 400, body: {} }, { text: "Done." });

    const busy = await tenant.call("POST", "/v1/runs", { team: "desk", input: "One.", waitMs: 0 });
    await modelOf(team, "a").until({ open: 1 });
    expect(await stateOf(tenant).loads("desk")).toEqual({ a: 1 });
    const failed = await startRun(tenant, "desk", "Two.");
    expect(failed).toMatchObject({ status: "failed", decisions: [{ targetAgent: "b" }] });
    const fine = await startRun(tenant, "desk", "Three.");
    expect(fine).toMatchObject({ status: "completed", decisions: [{ targetAgent: "b" }] });
    expect(await stateOf(tenant).loads("desk")).toEqual({ a: 1 });

    await tenant.call("POST", `/v1/runs/${busy.body.runId}/cancel`);
    await expect.poll(() => stateOf(tenant).loads("desk")).toEqual({});
  });

  it("counts a claim that is made again once, forgets those that run out, and doesn't bring back a released one", async () => {
    const tenant = await newTenant();
    let now = 1_000_000;
    const state = new D1TeamState(env.DB, tenant.tenantId, () => now);
    const claim = { work: "run_1", id: "w0" };
    expect(await state.claimLeastBusy("t", ["a", "b"], claim)).toEqual({ worker: "a", load: 0 });
    expect(await state.claimLeastBusy("t", ["a", "b"], claim)).toEqual({ worker: "a", load: 0 });
    await state.claim("t", "a", claim);
    expect(await state.loads("t")).toEqual({ a: 1 });
    expect(await state.claimLeastBusy("t", ["a", "b"], { work: "run_2", id: "w0" })).toEqual({ worker: "b", load: 0 });
    await state.release(claim);
    await state.claim("t", "a", claim);
    expect(await state.loads("t")).toEqual({ b: 1 });
    now += 3_600_001;
    expect(await state.loads("t")).toEqual({});
  });

  it("over many runs at once spreads them and ends at zero (fault 8)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {}, b: {}, c: {} }, { strategy: "load-balanced" });
    for (const id of ["a", "b", "c"]) await modelOf(team, id).reply({ text: "Done.", repeat: true });
    await tenant.put("teams", "desk", team.definition);
    const runs = await Promise.all(Array.from({ length: 24 }, () => startRun(tenant, "desk", "Help.")));
    expect(runs.every(({ status }) => status === "completed")).toBe(true);
    expect(new Set(runs.map(({ decisions }) => decisions[0]?.targetAgent)).size).toBe(3);
    await expect.poll(() => stateOf(tenant).loads("desk")).toEqual({});
  });
});

describe("skill-based", () => {
  it("takes who matches most, with a confidence that says how much", async () => {
    const tenant = await newTenant();
    const team = newTeam(
      {
        billing: { capabilities: { skills: ["invoice", "refund"], tools: ["payments"] } },
        technical: { capabilities: { skills: ["login", "crash"] } },
      },
      { strategy: "skill-based" },
    );
    await modelOf(team, "technical").reply({ text: "Fixed." });
    const run = await startRun(tenant, team.definition, "The app crashes at LOGIN.");
    expect(run.decisions).toMatchObject([{ targetAgent: "technical", confidence: 0.8, strategy: "skill-based" }]);
    await modelOf(team, "billing").reply({ text: "Hello." });
    const unmatched = await startRun(tenant, team.definition, "Good morning.");
    expect(unmatched.decisions).toMatchObject([{ targetAgent: "billing", confidence: 0 }]);
  });
});

describe("rule-based", () => {
  it("goes by text, metadata and earlier results, and ends when no rule applies any more", async () => {
    const tenant = await newTenant();
    const team = newTeam(
      { triage: {}, billing: {}, vip: {} },
      {
        strategy: "rule-based",
        rules: [
          { when: { result: { worker: "triage", contains: "money" } }, to: "billing", reasoning: "Triage says money." },
          { when: { metadata: { plan: "gold" } }, to: "vip" },
          { when: { pattern: "\\border\\s+\\d+" }, to: "triage" },
          { when: { contains: ["refund"] }, to: ["billing", "triage"] },
        ],
      },
    );
    await modelOf(team, "triage").reply({ text: "This is about money." });
    await modelOf(team, "billing").reply({ text: "Paid." });
    const run = await startRun(tenant, team.definition, "What of Order  17?");
    expect(run.decisions).toMatchObject([
      { targetAgent: "triage" },
      { targetAgent: "billing", reasoning: "Triage says money." },
    ]);
    expect(run.response).toBe("Paid.");
    await modelOf(team, "vip").reply({ text: "At once." });
    const vip = await startRun(tenant, team.definition, "Order 18", { metadata: { plan: "gold" } });
    expect(vip).toMatchObject({ response: "At once.", decisions: [{ targetAgent: "vip" }] });
  });

  it("passes over rules whose workers can't work, and takes of several those that can", async () => {
    const tenant = await newTenant();
    const away = { capabilities: { available: false } };
    const rules = [
      { when: { contains: ["refund"] }, to: "away" },
      { when: { contains: ["refund"] }, to: ["away", "billing"] },
    ];
    const team = newTeam({ away, billing: {} }, { strategy: "rule-based", rules });
    await modelOf(team, "billing").reply({ text: "Paid." });
    const run = await startRun(tenant, team.definition, "A refund, please.");
    expect(run).toMatchObject({
      response: "Paid.",
      decisions: [{ targetAgent: "billing", reasoning: "Rule 2 applies." }],
    });
  });

  it("without a rule that applies fails clearly, or takes the fallback worker", async () => {
    const tenant = await newTenant();
    const rules = [{ when: { contains: ["refund"] }, to: "billing" }];
    const team = newTeam({ billing: {} }, { strategy: "rule-based", rules });
    const run = await startRun(tenant, team.definition, "Hello.");
    expect(run).toMatchObject({ status: "failed", error: { detail: expect.stringContaining("no rule applies") } });
    await modelOf(team, "billing").reply({ text: "Hi." });
    const definition = { ...team.definition, supervisor: { strategy: "rule-based", rules, fallbackWorker: "billing" } };
    expect((await startRun(tenant, definition, "Hello.")).response).toBe("Hi.");
  });
});
