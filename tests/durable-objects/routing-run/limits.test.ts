/** What bounds a run beyond its own budget: shares of branches, teams within it, retries, rounds, workers at once. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { asksHuman, modelOf, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";

const down = { status: 400, body: { error: { message: "down" } }, repeat: true } as const;
const costing = (tokens: number) => ({ usage: { inputTokens: tokens, outputTokens: 0 } });

async function withLookup() {
  const tenant = await newTenant();
  const hook = upstreamFor(env.TEST_UPSTREAM);
  await hook.reply({ body: "found", repeat: true });
  await tenant.put("tools", "lookup", { server: "shop", description: "Looks", http: { url: hook.hookURL } });
  return { tenant, hook };
}
const lookup = { toolCalls: [{ name: "lookup", arguments: {} }], repeat: true } as const;

describe("workers at once", () => {
  it("share the model calls that are left, and stay within them together", async () => {
    const { tenant } = await withLookup();
    const fields = { tools: ["shop/lookup"] };
    const team = newTeam({ a: fields, b: fields }, {}, { limits: { maxModelCalls: 7, maxWorkerRetries: 0 } });
    await team.supervisor.reply(routesTo(["a", "b"]));
    for (const id of ["a", "b"]) await modelOf(team, id).reply(lookup);
    const run = await startRun(tenant, team.definition, "Help.");
    // One was the supervisor's: three each are left, the last of them without tools.
    for (const id of ["a", "b"]) expect(await modelOf(team, id).requests()).toHaveLength(3);
    expect(run.usage.modelCalls).toBe(7);
  });

  it("share the tokens that are left", async () => {
    const { tenant } = await withLookup();
    const fields = { tools: ["shop/lookup"] };
    const team = newTeam({ a: fields, b: fields }, {}, { limits: { maxTokens: 1_100, maxWorkerRetries: 0 } });
    await team.supervisor.reply({ ...routesTo(["a", "b"]), ...costing(100) });
    for (const id of ["a", "b"]) await modelOf(team, id).reply({ ...lookup, ...costing(300) });
    const run = await startRun(tenant, team.definition, "Help.");
    for (const id of ["a", "b"]) expect(await modelOf(team, id).requests()).toHaveLength(2);
    expect(run.error?.detail).toContain("the token budget of 500 is used up");
  });

  it("are no more than parallelWorkers", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {}, b: {}, c: {} }, {}, { limits: { parallelWorkers: 2 } });
    await team.supervisor.reply(routesTo(["a", "b", "c"]));
    for (const id of ["a", "b"]) await modelOf(team, id).reply({ text: id, hold: "h" });
    await modelOf(team, "c").reply({ text: "c" });
    const started = startRun(tenant, team.definition, "Help.");
    for (const id of ["a", "b"]) await modelOf(team, id).until({ open: 1 });
    expect(await modelOf(team, "c").requests()).toHaveLength(0);
    for (const id of ["a", "b"]) await modelOf(team, id).release("h");
    expect((await started).response).toBe("a\n\nb\n\nc");
  });
});

describe("a worker", () => {
  it.each([0, 2])("that fails is tried again maxWorkerRetries times: %i", async (maxWorkerRetries) => {
    const tenant = await newTenant();
    const team = newTeam({ a: {} }, {}, { limits: { maxWorkerRetries } });
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply(down);
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run).toMatchObject({ status: "failed", results: [{ attempts: maxWorkerRetries + 1 }] });
    expect(await modelOf(team, "a").requests()).toHaveLength(maxWorkerRetries + 1);
  });

  it("isn't tried again when nothing is left to try with, nor when it used up what there was", async () => {
    const { tenant } = await withLookup();
    for (const limits of [{ maxModelCalls: 2 }, { maxTokens: 1_000 }]) {
      const team = newTeam({ a: { tools: ["shop/lookup"] } }, {}, { limits: { ...limits, maxWorkerRetries: 5 } });
      await team.supervisor.reply({ ...routesTo("a"), ...costing(100) });
      await modelOf(team, "a").reply({ ...lookup, text: "", ...costing(900) });
      const run = await startRun(tenant, team.definition, "Help.");
      expect(run).toMatchObject({ status: "failed", results: [{ attempts: 1 }] });
      expect(await modelOf(team, "a").requests()).toHaveLength(1);
    }
  });

  it("calls tools for as many rounds as it says itself, or the team does", async () => {
    const { tenant } = await withLookup();
    const tools = ["shop/lookup"];
    const team = newTeam({ own: { tools, maxToolRounds: 1 }, teams: { tools } }, {}, { limits: { maxToolRounds: 2 } });
    await team.supervisor.reply(routesTo(["own", "teams"]));
    for (const id of ["own", "teams"]) await modelOf(team, id).reply({ ...lookup, text: "Still looking." });
    const run = await startRun(tenant, team.definition, "Help.");
    // The last round has no tools, and what it says is the answer.
    expect(run.response).toBe("Still looking.\n\nStill looking.");
    expect(await modelOf(team, "own").requests()).toHaveLength(2);
    expect(await modelOf(team, "teams").requests()).toHaveLength(3);
  });

  it("is shown as many of a long list of tools as it says", async () => {
    const { tenant } = await withLookup();
    await tenant.put("tools", "weather", { server: "shop", description: "Rain", http: { url: "https://x.test/" } });
    const team = newTeam({ a: { tools: ["shop/*"], maxToolsPerRound: 1 } });
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply({ text: "Done." });
    await startRun(tenant, team.definition, "Please lookup my order.");
    const seen = promptText((await modelOf(team, "a").requests())[0]);
    expect([seen.includes('"name":"lookup"'), seen.includes('"name":"weather"')]).toEqual([true, false]);
  });

  it("that says its piece beside its last tool call, and nothing more, has said it", async () => {
    const { tenant } = await withLookup();
    const team = newTeam({ a: { tools: ["shop/lookup"] } });
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply({ ...lookup, repeat: 1, text: "It was sent." }, { text: "" });
    expect((await startRun(tenant, team.definition, "Where?")).response).toBe("It was sent.");
  });
});

describe("a team inside a team", () => {
  it("keeps its own limits, within what is left of those around it", async () => {
    const { tenant } = await withLookup();
    for (const [outerCalls, innerCalls, calls] of [
      [100, 4, 3],
      [5, 100, 3],
    ] as const) {
      const worker = { clerk: { tools: ["shop/lookup"] } };
      const inner = newTeam(worker, {}, { limits: { maxModelCalls: innerCalls, maxWorkerRetries: 0 } });
      const team = newTeam({ legal: { team: inner.definition } }, {}, { limits: { maxModelCalls: outerCalls } });
      await team.supervisor.reply(routesTo("legal"));
      await inner.supervisor.reply(routesTo("clerk"));
      await modelOf(inner, "clerk").reply({ ...lookup, text: "Looking." });
      const run = await startRun(tenant, team.definition, "Help.");
      expect(run).toMatchObject({ status: "completed", usage: { modelCalls: calls + 2 } });
      expect(await modelOf(inner, "clerk").requests()).toHaveLength(calls);
    }
  });

  it("keeps its own limit of tokens, within what is left of those around it", async () => {
    const { tenant } = await withLookup();
    for (const [outer, own] of [
      [100_000, 1_000],
      [1_100, 100_000],
    ] as const) {
      const worker = { clerk: { tools: ["shop/lookup"] } };
      const inner = newTeam(worker, {}, { limits: { maxTokens: own, maxWorkerRetries: 0 } });
      const team = newTeam(
        { legal: { team: inner.definition } },
        {},
        { limits: { maxTokens: outer, maxWorkerRetries: 0 } },
      );
      await team.supervisor.reply({ ...routesTo("legal"), ...costing(100) });
      await inner.supervisor.reply({ ...routesTo("clerk"), ...costing(100) });
      await modelOf(inner, "clerk").reply({ ...lookup, ...costing(500) });
      expect((await startRun(tenant, team.definition, "Help.")).error?.detail).toContain("the token budget of 900 is");
      expect(await modelOf(inner, "clerk").requests()).toHaveLength(2);
    }
  });

  it("asks people within the number of questions of the whole run", async () => {
    const tenant = await newTenant();
    const inner = newTeam({ clerk: { tools: ["ask_human"] } }, {}, { limits: { maxQuestions: 10 } });
    const team = newTeam({ legal: { team: inner.definition } }, {}, { limits: { maxQuestions: 0 } });
    await team.supervisor.reply(routesTo("legal"));
    await inner.supervisor.reply(routesTo("clerk"));
    await modelOf(inner, "clerk").reply(asksHuman("Which?"), { text: "Done." });
    expect(await startRun(tenant, team.definition, "Help.")).toMatchObject({ status: "completed", asks: [] });
    expect(promptText((await modelOf(inner, "clerk").requests())[1])).toContain("may ask people at most 0 times");
  });
});

describe("a worker at an address", () => {
  it("asks people within the run's number of questions, and ten times at most", async () => {
    const tenant = await newTenant();
    for (const [maxQuestions, why] of [
      [0, "it asked a person, which this run may do 0 times at most"],
      [100, "it asked more than 10 questions"],
    ] as const) {
      const hook = upstreamFor(env.TEST_UPSTREAM);
      const ask = { question: "Which?" };
      await hook.reply({ body: { ask }, repeat: true });
      const team = newTeam(
        { a: { http: { url: hook.hookURL } } },
        { strategy: "skill-based" },
        { limits: { maxQuestions } },
      );
      let run = await startRun(tenant, team.definition, "Help.");
      while (run.status === "waiting") {
        const [open] = run.asks;
        await tenant.call("POST", `/v1/asks/${open?.askId}/cancel`);
        run = (await tenant.call("GET", `/v1/runs/${run.runId}?waitMs=30000`)).body;
      }
      expect(run).toMatchObject({ status: "failed", results: [{ error: why }] });
    }
  });

  it("is given up when the run's time is used up", async () => {
    const tenant = await newTenant();
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ body: "late", hold: "for ever" });
    const team = newTeam(
      { a: { http: { url: hook.hookURL } } },
      { strategy: "skill-based" },
      // Long enough for the call to arrive.
      { limits: { maxActiveMs: 2_000 } },
    );
    expect(await startRun(tenant, team.definition, "Help.")).toMatchObject({
      status: "failed",
      results: [{ attempts: 1 }],
    });
    await hook.until({ requests: 1, aborted: 1 });
  });

  it("that says that it is busy is tried again even if its calls can't be repeated: nothing was done", async () => {
    const tenant = await newTenant();
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ status: 503, body: "busy" }, { status: 429, body: "busy" }, { body: "Done." });
    const limits = { maxWorkerRetries: 2 };
    const team = newTeam({ a: { http: { url: hook.hookURL } } }, { strategy: "skill-based" }, { limits });
    expect(await startRun(tenant, team.definition, "Help.")).toMatchObject({
      response: "Done.",
      results: [{ attempts: 3 }],
    });
  });
});

describe("an aggregator that is a model", () => {
  it.each([
    ["fails", down, 100, 1],
    // An empty reply is asked for once more.
    ["says nothing", { text: " " }, 100, 2],
    ["can't be paid for any more", { text: "Never asked." }, 2, 0],
  ] as const)("and %s is replaced by the results themselves", async (_what, reply, maxModelCalls, calls) => {
    const tenant = await newTenant();
    const maker = upstreamFor(env.TEST_UPSTREAM);
    await maker.reply(reply);
    const aggregator = { mode: "model", model: `openai/${maker.model}` };
    const team = newTeam({ a: {} }, {}, { aggregator, limits: { maxModelCalls } });
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply({ text: "It is paid." });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run).toMatchObject({ status: "completed", response: "It is paid." });
    expect(await maker.requests()).toHaveLength(calls);
  });
});
