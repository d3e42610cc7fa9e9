import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { answerOpen, asksHuman, modelOf, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";

describe("a handoff", () => {
  it("goes to the named worker with the reason, and is part of the result (fault 12)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ front: { handoffs: ["billing"] }, billing: {} });
    await team.supervisor.reply(routesTo("front"));
    await modelOf(team, "front").reply({
      toolCalls: [{ name: "hand_off_to", arguments: { worker: "billing", reason: "It is about order A-1." } }],
    });
    await modelOf(team, "billing").reply({ text: "Paid back." });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run).toMatchObject({ response: "Paid back.", results: [{ worker: "billing", handedOnBy: ["front"] }] });
    expect(promptText((await modelOf(team, "billing").requests())[0])).toContain("It is about order A-1.");
  });

  it("in a circle is refused, and the worker answers itself (fault 12)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: { handoffs: ["b"] }, b: { handoffs: ["a"] } });
    const toA = { toolCalls: [{ name: "hand_off_to", arguments: { worker: "a", reason: "yours" } }] };
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply({
      toolCalls: [{ name: "hand_off_to", arguments: { worker: "b", reason: "yours" } }],
    });
    await modelOf(team, "b").reply(toA, { text: "Then I do it." });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run.response).toBe("Then I do it.");
    expect(promptText((await modelOf(team, "b").requests())[1])).toContain("that goes in a circle (a → b → a)");
    expect(run.results[0]?.effects).toBeUndefined();
    const { story } = (await tenant.call("GET", `/v1/runs/${run.runId}/trace`)).body;
    expect(story).toContain("b called routing/hand_off_to in vain: it would go in a circle.");
  });

  it("never goes to a worker that failed in this run", async () => {
    const tenant = await newTenant();
    const limits = { maxWorkerRetries: 0 };
    const team = newTeam({ a: { handoffs: ["dead"] }, b: { handoffs: ["dead"] }, dead: {} }, {}, { limits });
    const toDead = { toolCalls: [{ name: "hand_off_to", arguments: { worker: "dead", reason: "yours" } }] };
    await team.supervisor.reply(routesTo("a"), routesTo("b"));
    await modelOf(team, "a").reply(toDead);
    await modelOf(team, "b").reply(toDead, { text: "Then I do it." });
    await modelOf(team, "dead").reply({ status: 401, body: { error: { message: "no" } }, repeat: true });
    const run = await startRun(tenant, team.definition, "Help.");
    expect(run).toMatchObject({ response: "Then I do it.", results: [{ worker: "dead" }, { worker: "b" }] });
    expect(await modelOf(team, "dead").requests()).toHaveLength(1);
    const { story } = (await tenant.call("GET", `/v1/runs/${run.runId}/trace`)).body;
    expect(story).toContain("b called a tool in vain: there is no such tool.");
  });
});

describe("handoffs", () => {
  it.each([
    [1, "B is the last.", "handed on 1 times already, and the limit is 1"],
    [0, "A is the last.", "handed on 0 times already, and the limit is 0"],
  ])("happen at most maxHandoffs times: %i (fault 12)", async (maxHandoffs, response, refusal) => {
    const tenant = await newTenant();
    const team = newTeam({ a: { handoffs: ["b"] }, b: { handoffs: ["c"] }, c: {} }, {}, { limits: { maxHandoffs } });
    const on = (worker: string) => ({
      toolCalls: [{ name: "hand_off_to", arguments: { worker, reason: "yours" } }],
    });
    await team.supervisor.reply(routesTo("a"));
    await modelOf(team, "a").reply(on("b"), { text: "A is the last." });
    await modelOf(team, "b").reply(on("c"), { text: "B is the last." });
    expect((await startRun(tenant, team.definition, "Help.")).response).toBe(response);
    const last = modelOf(team, maxHandoffs === 0 ? "a" : "b");
    expect(promptText((await last.requests())[1])).toContain(refusal);
    expect(await modelOf(team, "c").requests()).toHaveLength(0);
  });
});

describe("a team as a worker", () => {
  const inner = () => newTeam({ contracts: { tools: ["ask_human"] }, patents: {} });

  it("runs inside the run; a question from its depth stops and resumes the whole at that step", async () => {
    const tenant = await newTenant();
    const legal = inner();
    await tenant.put("teams", "legal", legal.definition);
    const team = newTeam({ legal: { team: "legal" }, billing: {} });
    await team.supervisor.reply(routesTo("legal"));
    await legal.supervisor.reply(routesTo("contracts"));
    await modelOf(legal, "contracts").reply(asksHuman("Which contract?"), { text: "It ends in May." });

    const waiting = await startRun(tenant, team.definition, "When does it end?");
    expect(waiting).toMatchObject({ status: "waiting", asks: [{ question: "Which contract?" }] });
    const done = await answerOpen(tenant, waiting, "the lease");

    expect(done).toMatchObject({
      status: "completed",
      response: "It ends in May.",
      decisions: [{ targetAgent: "legal" }],
      results: [{ worker: "legal" }],
      clarifications: [{ question: "Which contract?", answer: "the lease", from: "human" }],
      usage: { modelCalls: 4 },
    });
    for (const model of [team.supervisor, legal.supervisor]) expect(await model.requests()).toHaveLength(1);
    expect(await modelOf(legal, "contracts").requests()).toHaveLength(2);
    const story = await tenant.call("GET", `/v1/runs/${done.runId}/trace?format=markdown`);
    expect(story.body).toMatch(/\[legal\] Routed to contracts/);
    expect(story.body).toMatch(/“Which contract\?” was answered by key key_\w+ \(admin\) after .*: the lease/);
  });

  it("may be sent along with the run", async () => {
    const tenant = await newTenant();
    const legal = inner();
    const team = newTeam({ legal: { team: legal.definition } });
    await team.supervisor.reply(routesTo("legal"));
    await legal.supervisor.reply(routesTo("patents"));
    await modelOf(legal, "patents").reply({ text: "Patented." });
    expect((await startRun(tenant, team.definition, "Is it patented?")).response).toBe("Patented.");
  });

  it("that was too deep only once the teams within it were stored ends in a failure that says so", async () => {
    const tenant = await newTenant();
    for (const [name, inner] of ["t1", "t2", "t3", "t4", "t5"].map((name, at) => [name, `t${at + 2}`] as const)) {
      const worker = name === "t5" ? { id: "a", description: "All" } : { id: "a", description: "All", team: inner };
      await tenant.put("teams", name, { supervisor: { strategy: "skill-based" }, workers: [worker] });
    }
    const run = await startRun(tenant, "t1", "Help.");
    expect(run.status).toBe("failed");
    expect(run.error?.detail).toContain("at most 4 deep");
  });

  it("has its own supervisors at its door", async () => {
    const tenant = await newTenant();
    await tenant.rules("no-names", [
      { match: { type: "phrases", phrases: ["Ada"] }, action: "redact", replacement: "[name]", reason: "name" },
    ]);
    const legal = newTeam({ contracts: {} }, {}, { supervisors: ["no-names"] });
    const team = newTeam({ legal: { team: legal.definition } });
    await team.supervisor.reply(routesTo("legal"));
    await legal.supervisor.reply(routesTo("contracts"));
    await modelOf(legal, "contracts").reply({ text: "Dear Ada, yes." });
    const run = await startRun(tenant, team.definition, "I am Ada. May I?");
    expect(run.response).toBe("Dear [name], yes.");
    expect(promptText((await legal.supervisor.requests())[0])).not.toContain("Ada");
    expect(promptText((await team.supervisor.requests())[0])).toContain("Ada");
  });
});

describe("a worker at an address", () => {
  it("is posted the brief under a key of its own, and its text is the result", async () => {
    const tenant = await newTenant();
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ body: { response: "Shipped." } });
    const team = newTeam({
      shipping: { http: { method: "POST", url: hook.hookURL, headers: { "x-token": "secret" } } },
    });
    await team.supervisor.reply(routesTo("shipping"));
    const run = await startRun(tenant, team.definition, "Where is it?");
    expect(run.response).toBe("Shipped.");
    const [request] = await hook.requests();
    expect(request).toMatchObject({
      headers: { "x-token": "secret" },
      body: { runId: run.runId, worker: "shipping", content: "Where is it?", answers: [] },
    });
    const { "idempotency-key": key, "webhook-id": id } = request?.headers ?? {};
    expect(key).toMatch(/^call_[0-9a-f]{40}$/);
    expect(id).toBe(key);
  });

  it("may ask a person, and is called again with the answer", async () => {
    const tenant = await newTenant();
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ body: { ask: { question: "Which parcel?" } } }, { body: { response: "Shipped." } });
    const team = newTeam({ shipping: { http: { url: hook.hookURL } } });
    await team.supervisor.reply(routesTo("shipping"));
    const waiting = await startRun(tenant, team.definition, "Where is it?");
    const done = await answerOpen(tenant, waiting, "the blue one");
    expect(done).toMatchObject({ status: "completed", response: "Shipped." });
    expect((await hook.requests())[1]?.body).toMatchObject({
      answers: [{ question: "Which parcel?", answer: "the blue one" }],
    });
  });

  it("is tried again after a fault only if that does no harm", async () => {
    const tenant = await newTenant();
    for (const [idempotent, calls] of [
      [true, 2],
      [false, 1],
    ] as const) {
      const hook = upstreamFor(env.TEST_UPSTREAM);
      await hook.reply({ status: 500, body: "oops" }, { body: "Shipped." });
      const team = newTeam({ shipping: { http: { url: hook.hookURL, idempotent } } }, { strategy: "skill-based" });
      const run = await startRun(tenant, team.definition, "Where is it?");
      expect(run.status).toBe(idempotent ? "completed" : "failed");
      expect(await hook.requests()).toHaveLength(calls);
    }
  });

  it("that is private is refused when the team is stored, and its headers are never read back", async () => {
    const tenant = await newTenant();
    const team = newTeam({ shipping: { http: { url: "http://10.0.0.1/x" } } });
    expect(await tenant.call("PUT", "/v1/teams/t", team.definition)).toMatchObject({
      status: 422,
      body: { errors: [{ path: "workers.0.http.url" }] },
    });
    const fine = newTeam({
      shipping: { http: { url: "https://example.com/x", headers: { authorization: "Bearer s3cret" } } },
    });
    await tenant.put("teams", "t", fine.definition);
    expect(JSON.stringify((await tenant.call("GET", "/v1/teams/t")).body)).not.toContain("s3cret");
  });
});
