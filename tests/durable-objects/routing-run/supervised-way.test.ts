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
    expect(run.response).toBe("Done.\n\nNo answer came on: Knows about a.");
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

describe("a verbose team", () => {
  it("tells of briefs, and of what its tools were called with and gave, as far as responses may", async () => {
    const tenant = await newTenant();
    await tenant.rules("privacy", [redacts], { hooks: ["response"] });
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ body: "The word is swordfish.", repeat: true });
    const parameters = { type: "object", properties: { word: { type: "string" } } };
    await tenant.put("tools", "look", {
      server: "shop",
      description: "Looks",
      parameters,
      http: { url: hook.hookURL, method: "GET" },
    });
    const look = { toolCalls: [{ name: "look", arguments: { word: "is it swordfish" } }] };
    for (const verbose of [true, false]) {
      const tools = ["shop/look"];
      const team = newTeam({ a: { tools } }, { tools, verbose }, { supervisors: ["privacy"] });
      await team.supervisor.reply(look, routesTo("a"));
      await modelOf(team, "a").reply(look, { text: "Done." });
      const run = await startRun(tenant, team.definition, "Is it swordfish?");
      const { entries, story } = (await tenant.call("GET", `/v1/runs/${run.runId}/trace`)).body;
      const used = entries.filter(({ type }: { type: string }) => type === "tool.used");
      const use = { server: "shop", tool: "look", arguments: '{"word":"is it [gone]"}', output: "The word is [gone]." };
      expect(used.map(({ data }: { data: unknown }) => data)).toMatchObject(
        verbose
          ? [
              { agent: "supervisor", ...use },
              { agent: "a", ...use },
            ]
          : [],
      );
      expect(story.includes('a called shop/look with {"word":"is it [gone]"} and got: The word is [gone].')).toBe(
        verbose,
      );
      expect(/a began\. It was given: <found .* Is it \[gone\]\?/.test(story)).toBe(verbose);
      // The work itself goes on with the text as it was; responses alone are supervised here.
      expect(promptText((await modelOf(team, "a").requests())[1])).toContain("The word is swordfish.");
      // The input is the caller's own.
      expect(JSON.stringify(entries)).not.toContain("swordfish");
    }
  });

  it("in a session keeps no texts in the log", async () => {
    const tenant = await newTenant();
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ body: "three are left" });
    await tenant.put("tools", "look", { server: "shop", description: "Looks", http: { url: hook.hookURL } });
    const team = newTeam({ a: { tools: ["shop/look"] } }, { verbose: true });
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply({ toolCalls: [{ name: "look", arguments: {} }] }, { text: "Done." });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const events = await tenant.stream(await tenant.session(), "How many?");
    const used = events.find(({ event }) => event === "tool.used");
    expect(used?.data).toMatchObject({ agent: "a", server: "shop", tool: "look", path: [] });
    expect(JSON.stringify(events)).not.toContain("three are left");
    expect(JSON.stringify(events.filter(({ event }) => event === "worker.started"))).not.toContain("How many?");
  });
});

describe("a run's supervisors", () => {
  it("are the tenant's, the caller's and the team's together", async () => {
    const tenant = await newTenant({ supervisors: ["tenants"] });
    for (const [name, word] of [
      ["tenants", "one"],
      ["callers", "two"],
      ["teams", "three"],
    ]) {
      const match = { type: "phrases", phrases: [word] };
      await tenant.rules(String(name), [{ match, action: "redact", replacement: "*", reason: "-" }]);
    }
    const team = newTeam({ a: {} }, { strategy: "skill-based" }, { supervisors: ["teams"] });
    await modelOf(team, "a").reply({ text: "one two three" });
    const run = await startRun(tenant, team.definition, "Count.", { supervisors: ["callers"] });
    expect(run.response).toBe("* * *");
  });

  it("hold as they were when it began, though they are deleted while it waits", async () => {
    const tenant = await newTenant();
    await tenant.rules("privacy", [redacts]);
    const team = newTeam({ a: { tools: ["ask_human"] } }, { strategy: "skill-based" });
    await modelOf(team, "a").reply(asksHuman("Which?"), { text: "swordfish" });
    const waiting = await startRun(tenant, team.definition, "Help.", { supervisors: ["privacy"] });
    await tenant.call("DELETE", "/v1/supervisors/privacy");
    // It goes on with the version that it began with.
    expect((await answerOpen(tenant, waiting, "this")).response).toBe("[gone]");
  });

  it("that the tenant demands and that are gone let nothing pass: the run fails, and says which", async () => {
    const tenant = await newTenant({ supervisors: ["ghost"] });
    const team = newTeam({ a: {} }, { strategy: "skill-based" });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run).toMatchObject({
      status: "failed",
      error: { detail: expect.stringContaining("supervisors/ghost doesn't exist any more") },
    });
    expect(await modelOf(team, "a").requests()).toHaveLength(0);
  });

  it("that are models read the input as what was said before", async () => {
    const tenant = await newTenant();
    const judge = upstreamFor(env.TEST_UPSTREAM);
    await judge.reply({ toolCalls: [{ name: "allow_message", arguments: {} }], repeat: true });
    const config = { model: `openai/${judge.model}`, instructions: "Judge." };
    await tenant.put("supervisors", "judge", { kind: "agent", hooks: ["response"], config });
    const team = newTeam({ a: {} }, { strategy: "skill-based" }, { supervisors: ["judge"] });
    await modelOf(team, "a").reply({ text: "Done." });
    await startRun(tenant, team.definition, "The input itself.");
    expect(promptText((await judge.requests()).at(-1))).toContain("The input itself.");
  });

  it("let a tool that was approved for the whole run be called again without asking", async () => {
    const tenant = await newTenant();
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ body: "paid", repeat: true });
    const pay = { server: "shop", description: "Pays", approval: "session", http: { url: hook.hookURL } };
    await tenant.put("tools", "pay", pay);
    const team = newTeam({ a: { tools: ["shop/pay"] } }, { strategy: "skill-based" });
    const paying = { toolCalls: [{ name: "pay", arguments: {} }] };
    await modelOf(team, "a").reply(paying, paying, { text: "Done." });
    const waiting = await startRun(tenant, team.definition, "Pay.");
    expect(waiting).toMatchObject({ status: "waiting", asks: [{ kind: "approval" }] });
    await tenant.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, { decision: "session" });
    const done = await tenant.call("GET", `/v1/runs/${waiting.runId}?waitMs=30000`);
    expect(done.body).toMatchObject({ status: "completed", asks: [{ status: "answered" }] });
    expect(await hook.requests()).toHaveLength(2);
    const story = await tenant.call("GET", `/v1/runs/${waiting.runId}/trace?format=markdown`);
    expect(story.body).toMatch(/wanted to call \S+; the staff had to approve that first/);
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
