/** What supervisors of hops and responses see of a run's way, beyond the plain case: what is blocked, handed on, failed or refused. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { answerOpen, asksHuman, modelOf, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";

const secret = { type: "phrases", phrases: ["swordfish"] };
const blocks = { match: secret, action: "block", reason: "a password" };
const redacts = { match: secret, action: "redact", replacement: "[gone]", reason: "a password" };

/** Everything that a run shows. */
async function everything(tenant: TestTenant, runId: string): Promise<string> {
  const paths = ["", "/trace", "/trace?format=markdown", "/events?lingerMs=0"];
  const shown = await Promise.all(paths.map((path) => tenant.call("GET", `/v1/runs/${runId}${path}`)));
  return JSON.stringify(shown.map(({ body }) => body));
}

describe("a hop that is blocked", () => {
  it("to a worker is a failed result of it, and another is chosen", async () => {
    const tenant = await newTenant();
    await tenant.rules("hops", [blocks], { hooks: ["hop"] });
    const team = newTeam({ a: {}, b: {} }, {}, { supervisors: ["hops"] });
    await team.supervisor.reply(routesTo("a", { task: "Use swordfish." }), routesTo("b"));
    await modelOf(team, "b").reply({ text: "Done." });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run).toMatchObject({
      status: "completed",
      response: "Done.",
      results: [
        { worker: "a", status: "failed", attempts: 0, error: expect.stringContaining("that was blocked: a password") },
        {},
      ],
    });
    expect(await modelOf(team, "a").requests()).toHaveLength(0);
  });

  it("from a worker is a failed result of it, and nothing of it goes on", async () => {
    const tenant = await newTenant();
    await tenant.rules("hops", [blocks], { hooks: ["hop"] });
    const team = newTeam({ a: {}, b: {} }, {}, { supervisors: ["hops"], aggregator: { mode: "concatenate" } });
    await team.supervisor.reply(routesTo(["a", "b"]));
    await modelOf(team, "a").reply({ text: "It is swordfish." });
    await modelOf(team, "b").reply({ text: "Done." });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run.response).toBe("b:\nDone.\n\na gave no result: Its result was blocked: a password");
    expect(await everything(tenant, run.runId)).not.toContain("swordfish");
  });

  it("with an answer for a worker at an address is its failure", async () => {
    const tenant = await newTenant();
    await tenant.rules("hops", [blocks], { hooks: ["hop"] });
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ body: { ask: { question: "Which word?" } } }, { body: "Done." });
    const team = newTeam(
      { a: { http: { url: hook.hookURL } } },
      { strategy: "skill-based" },
      { supervisors: ["hops"] },
    );
    const waiting = await startRun(tenant, team.definition, "Help.");
    const run = await answerOpen(tenant, waiting, "It is swordfish.");
    expect(run.results).toMatchObject([{ error: "the answer to its question was blocked: a password" }]);
    expect(await hook.requests()).toHaveLength(1);
  });

  it("with a question of a worker at an address is its failure, and nobody is asked", async () => {
    const tenant = await newTenant();
    await tenant.rules("hops", [blocks], { hooks: ["hop"] });
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ body: { ask: { question: "Is it swordfish?" } } }, { body: "Done." });
    const team = newTeam(
      { a: { http: { url: hook.hookURL } } },
      { strategy: "skill-based" },
      { supervisors: ["hops"] },
    );
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run).toMatchObject({
      status: "failed",
      asks: [],
      results: [{ error: "its question was blocked: a password" }],
    });
    expect(await hook.requests()).toHaveLength(1);
  });
});

describe("what a run shows passes the supervisors of responses", () => {
  it("when it was handed on, failed and tried again, refused, or couldn't be decided", async () => {
    const tenant = await newTenant();
    await tenant.rules("privacy", [redacts], { hooks: ["response"] });
    const fields = { supervisors: ["privacy"] };
    const handed = newTeam({ a: { handoffs: ["b"] }, b: {} }, {}, fields);
    await handed.supervisor.reply(routesTo("a"));
    const reason = "Because of swordfish.";
    await modelOf(handed, "a").reply({ toolCalls: [{ name: "hand_off_to", arguments: { worker: "b", reason } }] });
    await modelOf(handed, "b").reply({ text: "Done." });

    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ status: 500, body: "swordfish" }, { body: "Done." });
    const retried = newTeam(
      { a: { http: { url: hook.hookURL, idempotent: true } } },
      { strategy: "skill-based" },
      fields,
    );

    const refused = newTeam({ a: {} }, {}, fields);
    await refused.supervisor.reply({ text: JSON.stringify({ targetAgent: "swordfish" }) }, routesTo("a"));
    await modelOf(refused, "a").reply({ text: "Done." });

    const undecided = newTeam({ a: {} }, { fallbackWorker: "a" }, fields);
    await undecided.supervisor.reply({ text: JSON.stringify({ targetAgent: "swordfish" }), repeat: 2 });
    await modelOf(undecided, "a").reply({ text: "Done." });

    for (const [team, told] of [
      [handed, "a handed the task on to b: Because of [gone]."],
      [retried, "a failed and was tried again: HTTP 500: [gone]"],
      [refused, 'there is no worker "[gone]"'],
      [
        undecided,
        "The fallback worker, because the supervisor's decision can't be used: there is no worker \"[gone]\"",
      ],
    ] as const) {
      const run = await startRun(tenant, team.definition, "Help.");
      expect(run).toMatchObject({ status: "completed", response: "Done." });
      const shown = await everything(tenant, run.runId);
      expect(shown).not.toContain("swordfish");
      expect(shown.replaceAll("\\", "")).toContain(told);
    }
  });
});

describe("a fallback worker", () => {
  it.each([
    ["isn't available", { capabilities: { available: false } }, ["a"]],
    ["has failed already", {}, ["a", "general"]],
  ])("that %s isn't taken", async (_what, fields, tried) => {
    const tenant = await newTenant();
    const team = newTeam(
      { a: {}, general: fields },
      { fallbackWorker: "general" },
      { limits: { maxWorkerRetries: 0 } },
    );
    await team.supervisor.reply(...tried.map((id) => routesTo(id)), { text: "no idea", repeat: true });
    for (const id of tried) await modelOf(team, id).reply({ status: 400, body: {} });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run.status).toBe("failed");
    expect(run.results.map(({ worker }) => worker)).toEqual(tried);
  });
});

describe("a handoff", () => {
  it("offers those that can work, and takes along what a person answered before it", async () => {
    const tenant = await newTenant();
    const busy = { capabilities: { available: false } };
    const team = newTeam({ a: { handoffs: ["b", "c"], tools: ["ask_human"] }, b: {}, c: busy });
    await team.supervisor.reply(routesTo("a"));
    const handOff = { toolCalls: [{ name: "hand_off_to", arguments: { worker: "b", reason: "yours" } }] };
    await modelOf(team, "a").reply(asksHuman("Which order?"), handOff);
    await modelOf(team, "b").reply({ text: "Done." });
    const run = await answerOpen(tenant, await startRun(tenant, team.definition, "Help."), "order A-17");
    expect(run).toMatchObject({ status: "completed", results: [{ worker: "b", handedOnBy: ["a"] }] });
    expect(promptText((await modelOf(team, "a").requests())[0])).toContain('"enum":["b"]');
    expect(promptText((await modelOf(team, "b").requests())[0])).toContain("order A-17");
  });
});
