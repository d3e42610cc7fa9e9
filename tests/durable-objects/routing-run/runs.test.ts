import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";
import {
  answerOpen,
  asksHuman,
  getRun,
  modelOf,
  newTeam,
  promptText,
  routesTo,
  startRun,
} from "../../support/teams.js";

describe("supervision of a run", () => {
  it("sees the input, every hop and the response; what it blocks doesn't pass", async () => {
    const tenant = await newTenant();
    await tenant.rules(
      "secrets",
      [
        {
          match: { type: "phrases", phrases: ["swordfish"] },
          action: "redact",
          replacement: "[gone]",
          reason: "a password",
        },
      ],
      { hooks: ["hop"] },
    );
    const team = newTeam({ a: {}, b: {} }, {}, { supervisors: ["secrets"] });
    await team.supervisor.reply(routesTo(["a", "b"]));
    await modelOf(team, "a").reply({ text: "It is swordfish." });
    await modelOf(team, "b").reply({ text: "Fine." });
    const run = await startRun(tenant, team.definition, "The word is swordfish. Right?");
    expect(promptText((await modelOf(team, "a").requests())[0])).toContain("[gone]");
    expect(run.response).toBe("It is [gone].\n\nFine.");
    const trace = await tenant.call("GET", `/v1/runs/${run.runId}/trace`);
    const hops = trace.body.entries.filter(({ data }: { data: { hook?: string } }) => data.hook === "hop");
    // Two briefs, two results, and what the run shows of the decision.
    expect(hops).toHaveLength(5);
  });

  it("blocks an input before any model sees it, and a response before anybody does", async () => {
    const tenant = await newTenant();
    await tenant.rules("no", [{ match: { type: "phrases", phrases: ["bomb"] }, action: "block", reason: "weapons" }]);
    const team = newTeam({ a: {} }, {}, { supervisors: ["no"] });
    const blocked = await startRun(tenant, team.definition, "A bomb, please.");
    expect(blocked).toMatchObject({ status: "blocked", error: { code: "blocked" }, input: "[blocked] weapons" });
    expect(await team.supervisor.requests()).toHaveLength(0);
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply({ text: "Take a bomb." });
    const run = await startRun(tenant, team.definition, "What should I take?");
    expect(run.status).toBe("blocked");
    expect(run.response).toBeUndefined();
  });

  it("covers what the run shows of its way: reasoning, results and trace say nothing that the response may not", async () => {
    const tenant = await newTenant();
    await tenant.rules(
      "privacy",
      [
        {
          match: { type: "phrases", phrases: ["swordfish"] },
          action: "redact",
          replacement: "[gone]",
          reason: "a password",
        },
        { match: { type: "phrases", phrases: ["bomb"] }, action: "review", reason: "weapons" },
      ],
      { hooks: ["response"] },
    );
    const team = newTeam({ a: {}, b: {} }, {}, { supervisors: ["privacy"] });
    await team.supervisor.reply(routesTo(["a", "b"], { reasoning: "Because of swordfish.", task: "Say swordfish." }));
    await modelOf(team, "a").reply({ text: "It is swordfish." });
    await modelOf(team, "b").reply({ text: "A bomb." });
    const run = await startRun(tenant, team.definition, "Help.");
    // The one review is that of the response.
    expect(run).toMatchObject({
      status: "waiting",
      decisions: [{ reasoning: "Because of [gone].", task: "Say [gone]." }],
      results: [{ output: "It is [gone]." }, { output: "[withheld by supervision]" }],
      asks: [{ kind: "review" }],
    });
    const [client, operator] = [await tenant.withRole("client"), await tenant.withRole("operator")];
    const shown = [
      await client.call("GET", `/v1/runs/${run.runId}`),
      await client.call("GET", `/v1/runs/${run.runId}/events?lingerMs=0`),
      await operator.call("GET", `/v1/runs/${run.runId}/trace`),
    ];
    for (const { status, body } of shown) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/swordfish|bomb/);
    }
  });

  it("sees a question before it is asked", async () => {
    const tenant = await newTenant();
    await tenant.rules(
      "privacy",
      [
        {
          match: { type: "phrases", phrases: ["swordfish"] },
          action: "redact",
          replacement: "[gone]",
          reason: "a password",
        },
        { match: { type: "phrases", phrases: ["bomb"] }, action: "block", reason: "weapons" },
      ],
      { hooks: ["response"] },
    );
    const team = newTeam({ a: {} }, { tools: ["ask_human"] }, { supervisors: ["privacy"] });
    await team.supervisor.reply(
      asksHuman("A bomb?"),
      asksHuman("Is it swordfish?", { suggestions: ["swordfish", "no"], priority: "high" }),
      routesTo("a"),
    );
    await modelOf(team, "a").reply({ text: "Done." });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run.asks).toMatchObject([{ question: "Is it [gone]?", suggestions: ["[gone]", "no"], priority: "high" }]);
    expect(promptText((await team.supervisor.requests())[1])).toContain("The question was not asked: it was blocked.");
    expect((await answerOpen(tenant, run, "no")).status).toBe("completed");
  });
});

describe("runs over HTTP", () => {
  it("with the same Idempotency-Key are one run; with another input it is a 409", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {} }, { strategy: "skill-based" });
    await modelOf(team, "a").reply({ text: "Once." });
    const key = { "idempotency-key": "k-1" };
    const runs = await Promise.all([1, 2].map(() => startRun(tenant, team.definition, "Help.", {}, key)));
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(1);
    expect(await modelOf(team, "a").requests()).toHaveLength(1);
    const other = await tenant.call("POST", "/v1/runs", { team: team.definition, input: "Else." }, key);
    expect(other).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
  });

  it("name what is missing or can't be: team, tool, supervisor, panel, worker", async () => {
    const tenant = await newTenant();
    expect(await tenant.call("POST", "/v1/runs", { team: "nobody", input: "x" })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "team", message: expect.stringContaining("there is no teams/nobody") }] },
    });
    const team = newTeam({ a: { tools: ["shop/none"] } }, {}, { supervisors: ["ghost"] });
    const absent = await tenant.call("POST", "/v1/runs", { team: team.definition, input: "x" });
    expect(absent.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      "there is no tool shop/none",
      "there is no supervisors/ghost; store it at PUT /v1/supervisors/ghost",
    ]);
    const panel = newTeam({ a: { panel: "experts" } });
    expect(await tenant.call("POST", "/v1/runs", { team: panel.definition, input: "x" })).toMatchObject({
      status: 422,
      body: { errors: [{ path: "team", message: expect.stringContaining("there is no panels/experts") }] },
    });
    const wrong = newTeam({ a: {} }, { fallbackWorker: "b" });
    expect(await tenant.call("PUT", "/v1/teams/t", wrong.definition)).toMatchObject({
      status: 422,
      body: { errors: [{ path: "supervisor.fallbackWorker" }] },
    });
  });

  it("can be listed, followed as events, and cancelled while a model is being asked", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {} });
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply({ text: "Never heard.", hold: "for ever" });
    const started = await tenant.call("POST", "/v1/runs", { team: team.definition, input: "Help.", waitMs: 0 });
    expect(started.status).toBe(202);
    await modelOf(team, "a").until({ open: 1 });
    const cancelled = await tenant.call("POST", `/v1/runs/${started.body.runId}/cancel`);
    // What the supervisor took is spent; what the worker's model took, nobody can say.
    const usage = { modelCalls: 1, inputTokens: 10, outputTokens: 5 };
    expect(cancelled.body).toMatchObject({ status: "cancelled", usage });
    await modelOf(team, "a").until({ aborted: 1 });
    const events = await tenant.call("GET", `/v1/runs/${started.body.runId}/events?lingerMs=0`);
    expect(events.body).toMatch(/event: run\.completed\ndata: \{.*"status":"cancelled"/);
    await expect
      .poll(async () => (await tenant.call("GET", "/v1/runs?status=cancelled")).body.items)
      .toMatchObject([{ runId: started.body.runId, status: "cancelled" }]);
    expect((await getRun(tenant, started.body.runId)).status).toBe("cancelled");
  });
});
