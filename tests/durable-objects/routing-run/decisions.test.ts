import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { answerOpen, asksHuman, modelOf, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";
import { type ScriptedReply, upstreamFor } from "../../support/upstream-client.js";

const decision = { targetAgent: "billing", reasoning: "It is about money.", confidence: 0.8 };
const text = JSON.stringify(decision);

describe("a decision written as text", () => {
  const readable: readonly (readonly [string, string, number])[] = [
    ["bare JSON", text, 0.8],
    ["fenced JSON", `\`\`\`json\n${text}\n\`\`\``, 0.8],
    ["JSON with prose around it", `Let me think {carefully}.\nI'd say: ${text}\nThat is my choice.`, 0.8],
    ["broken JSON", `{targetAgent: 'billing', reasoning: 'money', confidence: 0.8,`, 0.8],
    ["a confidence in percent", JSON.stringify({ ...decision, confidence: 95 }), 0.95],
    ["a confidence as text", JSON.stringify({ ...decision, confidence: "70%" }), 0.7],
    ["another word for it", JSON.stringify({ worker: "billing", confidence: 0.8 }), 0.8],
    ["the same worker twice", JSON.stringify({ targetAgents: ["billing", "Billing"], confidence: 0.8 }), 0.8],
  ];
  it.each(readable)("is read from %s (fault 2)", async (_what, said, confidence) => {
    const tenant = await newTenant();
    const team = newTeam({ technical: {}, billing: {} });
    await team.supervisor.reply({ text: said });
    await modelOf(team, "billing").reply({ text: "Paid back." });
    const run = await startRun(tenant, team.definition, "My invoice is wrong.");
    expect(run).toMatchObject({
      status: "completed",
      response: "Paid back.",
      decisions: [{ targetAgent: "billing", confidence }],
    });
    expect(await team.supervisor.requests()).toHaveLength(1);
  });

  const unusable: readonly (readonly [string, ScriptedReply, string])[] = [
    ["an empty object", { text: "{}" }, "it names no worker"],
    ["no JSON at all", { text: "I think billing." }, "it holds no JSON object"],
    [
      "an unknown worker",
      { text: JSON.stringify({ ...decision, targetAgent: "sales" }) },
      'there is no worker \\"sales\\"',
    ],
    ["an unavailable worker", { text: JSON.stringify({ ...decision, targetAgent: "legal" }) }, "can't be chosen now"],
    [
      "a confidence that is none",
      { text: JSON.stringify({ ...decision, confidence: 250 }) },
      "confidence is a number from 0 to 1",
    ],
  ];
  it.each(unusable)(
    "that is %s is shown back once, and the second answer counts (fault 2)",
    async (_what, first, shown) => {
      const tenant = await newTenant();
      const team = newTeam({ technical: {}, billing: {}, legal: { capabilities: { available: false } } });
      await team.supervisor.reply(first, routesTo("billing"));
      await modelOf(team, "billing").reply({ text: "Paid back." });
      const run = await startRun(tenant, team.definition, "My invoice is wrong.");
      expect(run).toMatchObject({ status: "completed", decisions: [{ targetAgent: "billing" }] });
      const [, second] = await team.supervisor.requests();
      expect(promptText(second)).toContain(shown);
      expect(second?.body).toMatchObject({ tool_choice: { function: { name: "route_to" } } });
    },
  );

  it.each(unusable)("that is %s twice goes to the fallback worker, and says why (fault 2)", async (_what, reply) => {
    const tenant = await newTenant();
    const team = newTeam(
      { technical: {}, billing: {}, legal: { capabilities: { available: false } } },
      { fallbackWorker: "technical" },
    );
    await team.supervisor.reply(reply, reply);
    await modelOf(team, "technical").reply({ text: "Let me see." });
    const run = await startRun(tenant, team.definition, "My invoice is wrong.");
    expect(run).toMatchObject({
      status: "completed",
      response: "Let me see.",
      decisions: [{ targetAgent: "technical" }],
    });
    expect(run.decisions[0]?.fallback).toMatch(/can't be used/);
    expect(await team.supervisor.requests()).toHaveLength(2);
  });

  it.each(unusable)("that is %s twice, without a fallback, is a clear failure (fault 2)", async (_what, reply) => {
    const tenant = await newTenant();
    const team = newTeam({ technical: {}, billing: {}, legal: { capabilities: { available: false } } });
    await team.supervisor.reply(reply, reply);
    const run = await startRun(tenant, team.definition, "My invoice is wrong.");
    expect(run).toMatchObject({ status: "failed", error: { code: "failed" }, results: [] });
    expect(run.error?.detail).toMatch(/No worker could be chosen: the supervisor's decision can't be used/);
  });
});

describe("a decision by route_to", () => {
  it("offers the live workers alone (fault 2)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {}, legal: { capabilities: { available: false } } });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Done." });
    await startRun(tenant, team.definition, "Hello.");
    const [request] = await team.supervisor.requests();
    expect(request?.body).toMatchObject({
      tools: [{ function: { name: "route_to", parameters: { properties: { targetAgent: { enum: ["billing"] } } } } }],
    });
  });

  it("for an unavailable worker is refused with the ones there are, and the model decides again (fault 2)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {}, legal: { capabilities: { available: false } } });
    await team.supervisor.reply(routesTo("legal"), routesTo("billing", { confidence: 95 }));
    await modelOf(team, "billing").reply({ text: "Done." });
    const run = await startRun(tenant, team.definition, "Hello.");
    expect(run.decisions).toMatchObject([{ targetAgent: "billing", confidence: 0.95 }]);
    expect(promptText((await team.supervisor.requests())[1])).toContain(
      "can't be chosen now. The workers are: billing.",
    );
  });

  it("that comes with a question is put off until the answer is there", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {}, technical: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(
      { toolCalls: [...(routesTo("technical").toolCalls ?? []), ...(asksHuman("Which?").toolCalls ?? [])] },
      routesTo("billing"),
    );
    await modelOf(team, "billing").reply({ text: "Done." });
    const run = await startRun(tenant, team.definition, "Hello.");
    expect(run.status).toBe("waiting");
    await tenant.call("POST", `/v1/asks/${run.asks[0]?.askId}/answer`, { response: "billing" });
    const done = await tenant.call("GET", `/v1/runs/${run.runId}?waitMs=30000`);
    expect(done.body.decisions).toMatchObject([{ targetAgent: "billing" }]);
  });

  it("isn't asked for again when that can't be paid for any more", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, {}, { limits: { maxModelCalls: 1 } });
    await team.supervisor.reply({ text: "{}" });
    const run = await startRun(tenant, team.definition, "Hello.");
    expect(run.error?.detail).toContain("No worker could be chosen: it names no worker");
    expect(await team.supervisor.requests()).toHaveLength(1);
  });

  it("that is shown back stands beside what a person has answered meanwhile", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman("Which?"), { text: "{}" }, routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Done." });
    const waiting = await startRun(tenant, team.definition, "Hello.");
    expect((await answerOpen(tenant, waiting, "the invoice")).status).toBe("completed");
    expect(promptText((await team.supervisor.requests())[2])).toContain("the invoice");
  });

  it("is made without tools where the server refuses them", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {}, technical: {} });
    await team.supervisor.reply({ status: 400, body: { error: { message: "tools are not supported" } } }, { text });
    await modelOf(team, "billing").reply({ text: "Done." });
    const run = await startRun(tenant, team.definition, "My invoice is wrong.");
    expect(run).toMatchObject({ status: "completed", decisions: [{ targetAgent: "billing" }] });
    expect((await team.supervisor.requests())[1]?.body).not.toHaveProperty("tools");
  });
});

describe("a supervisor's tools", () => {
  async function withTool(fields: Record<string, unknown> = {}, supervisor: Record<string, unknown> = {}) {
    const tenant = await newTenant();
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await tenant.put("tools", "lookup", {
      server: "shop",
      description: "Looks up an order",
      parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
      http: { url: hook.hookURL },
      ...fields,
    });
    const team = newTeam({ billing: {}, technical: {} }, { tools: ["shop/lookup"], ...supervisor });
    await modelOf(team, "billing").reply({ text: "Done." });
    return { tenant, hook, team };
  }
  const lookup = (args: unknown): ScriptedReply => ({ toolCalls: [{ name: "lookup", arguments: args }] });

  it("get arguments that were checked: what is wrong is said, with the schema, and nothing is called (fault 11)", async () => {
    const { tenant, hook, team } = await withTool();
    await team.supervisor.reply(lookup({ order: 5 }), lookup("{broken"), routesTo("billing"));
    const run = await startRun(tenant, team.definition, "Hello.");
    expect(run.status).toBe("completed");
    expect(await hook.requests()).toHaveLength(0);
    const last = promptText((await team.supervisor.requests())[2]);
    expect(last).toContain("The schema is");
    expect(last).toContain("must be a JSON object");
  });

  it("that don't exist are answered with the ones that do (fault 11)", async () => {
    const { tenant, team } = await withTool();
    await team.supervisor.reply({ toolCalls: [{ name: "look_up", arguments: {} }] }, routesTo("billing"));
    expect((await startRun(tenant, team.definition, "Hello.")).status).toBe("completed");
    expect(promptText((await team.supervisor.requests())[1])).toContain("The tools are: route_to, lookup");
  });

  it("that hang are given up at their deadline", async () => {
    const { tenant, hook, team } = await withTool({ timeoutMs: 100 });
    await hook.reply({ body: "late", hold: "for ever" });
    await team.supervisor.reply(lookup({ order: "A" }), routesTo("billing"));
    expect((await startRun(tenant, team.definition, "Hello.")).status).toBe("completed");
    expect(promptText((await team.supervisor.requests())[1])).toContain("no result within 100 ms");
  });

  it("called for ever end in one last round that can only decide (fault 3)", async () => {
    const { tenant, hook, team } = await withTool({}, { maxToolRetries: 3 });
    await hook.reply({ body: "found", repeat: true });
    await team.supervisor.reply({ ...lookup({ order: "A" }), repeat: 3 }, routesTo("billing"));
    const run = await startRun(tenant, team.definition, "Hello.");
    expect(run.status).toBe("completed");
    const requests = await team.supervisor.requests();
    expect(requests).toHaveLength(4);
    // The third batch's results are seen, and only the decision is possible.
    expect(requests[3]?.body).toMatchObject({
      tools: [{ function: { name: "route_to" } }],
      tool_choice: { function: { name: "route_to" } },
    });
    expect(promptText(requests[3]).match(/"role":"tool"/g)).toHaveLength(3);
  });

  it("called even in the last round lead to the fallback, or a clear failure, and never to more calls (fault 3)", async () => {
    const { tenant, hook, team } = await withTool({}, { maxToolRetries: 1 });
    await hook.reply({ body: "found", repeat: true });
    await team.supervisor.reply({ ...lookup({ order: "A" }), repeat: true });
    const run = await startRun(tenant, team.definition, "Hello.");
    expect(run).toMatchObject({ status: "failed", error: { code: "failed" } });
    expect(await hook.requests()).toHaveLength(1);
    expect(await team.supervisor.requests()).toHaveLength(3);
  });

  it("with maxToolRetries 0 aren't offered at all: zero is zero (fault 3)", async () => {
    const { tenant, team } = await withTool({}, { maxToolRetries: 0 });
    await team.supervisor.reply(routesTo("billing"));
    expect((await startRun(tenant, team.definition, "Hello.")).status).toBe("completed");
    const [only] = await team.supervisor.requests();
    expect(only?.body).toMatchObject({ tools: [{ function: { name: "route_to" } }] });
  });

  it("of a long list are shown as far as they fit, those of the system always", async () => {
    const tenant = await newTenant();
    const names = ["order_status", "weather_report", "stock_price"];
    for (const name of names) {
      await tenant.put("tools", name, {
        server: "shop",
        description: `Tells the ${name}`,
        http: { url: "http://localhost/x" },
      });
    }
    const tools = ["ask_human", ...names.map((name) => `shop/${name}`)];
    const team = newTeam({ billing: {} }, { tools, maxToolsPerRound: 1 });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Done." });
    await startRun(tenant, team.definition, "What is the status of my order?");
    const [request] = await team.supervisor.requests();
    expect(request?.body).toMatchObject({
      tools: [
        { function: { name: "route_to" } },
        { function: { name: "ask_human" } },
        { function: { name: "order_status" } },
      ],
    });
  });
});

describe("tools of a long list", () => {
  it("are chosen anew each round, by what was read meanwhile", async () => {
    const tenant = await newTenant();
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ body: "The parcel stands in the warehouse; ask about its weather." });
    await tenant.put("tools", "order_status", { server: "shop", description: "Tells", http: { url: hook.hookURL } });
    const description = "How it is where a parcel stands";
    await tenant.put("tools", "warehouse_weather", { server: "shop", description, http: { url: "https://x.test/" } });
    const team = newTeam({ billing: {} }, { tools: ["shop/*"], maxToolsPerRound: 1 });
    await team.supervisor.reply({ toolCalls: [{ name: "order_status", arguments: {} }] }, routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Done." });
    await startRun(tenant, team.definition, "What is my order's status?");
    const offered = (await team.supervisor.requests()).map((request) =>
      ["order_status", "warehouse_weather"].filter((name) => promptText(request).includes(`"name":"${name}","desc`)),
    );
    expect(offered).toEqual([["order_status"], ["warehouse_weather"]]);
  });
});

describe("a run's budget", () => {
  it("of model calls ends it within them (fault 12)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, {}, { limits: { maxModelCalls: 1 } });
    await team.supervisor.reply(routesTo("billing"));
    const run = await startRun(tenant, team.definition, "Hello.");
    expect(run).toMatchObject({ status: "failed", usage: { modelCalls: 1 } });
    expect(run.error?.detail).toContain("budget of 1 model calls is used up");
    expect(await modelOf(team, "billing").requests()).toHaveLength(0);
  });

  it("of tokens ends it within them (fault 12)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, {}, { limits: { maxTokens: 1_000 } });
    await team.supervisor.reply({ ...routesTo("billing"), usage: { inputTokens: 900, outputTokens: 100 } });
    const run = await startRun(tenant, team.definition, "Hello.");
    expect(run.error?.detail).toContain("budget of 1000 tokens is used up");
  });

  it("of time ends it while a model is being asked, and while a tool works (fault 12)", async () => {
    const tenant = await newTenant();
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await tenant.put("tools", "slow", { server: "shop", description: "Slow", http: { url: hook.hookURL } });
    // Long enough for the calls to arrive.
    const limits = { maxActiveMs: 2_000 };
    const silent = newTeam({ billing: {} }, {}, { limits });
    await silent.supervisor.reply({ ...routesTo("billing"), hold: "for ever" });
    const slow = newTeam({ billing: {} }, { tools: ["shop/slow"] }, { limits });
    await slow.supervisor.reply({ toolCalls: [{ name: "slow", arguments: {} }] });
    await hook.reply({ body: "late", hold: "for ever" });
    for (const [team, hanging] of [
      [silent, silent.supervisor],
      [slow, hook],
    ] as const) {
      const run = await startRun(tenant, team.definition, "Hello.");
      expect(run).toMatchObject({ status: "failed", results: [], usage: { modelCalls: 1 } });
      expect(run.error?.detail).toMatch(/time budget of \d+ ms is used up/);
      await hanging.until({ requests: 1, aborted: 1 });
    }
  });

  it("of questions is kept: a question too many is answered with that (fault 12)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] }, { limits: { maxQuestions: 1 } });
    await team.supervisor.reply(
      { toolCalls: ["One?", "Two?"].map((question) => ({ name: "ask_human", arguments: { question } })) },
      routesTo("billing"),
    );
    await modelOf(team, "billing").reply({ text: "Done." });
    const run = await startRun(tenant, team.definition, "Hello.");
    expect(run.asks).toMatchObject([{ question: "One?" }]);
    await tenant.call("POST", `/v1/asks/${run.asks[0]?.askId}/answer`, { response: "yes" });
    expect((await tenant.call("GET", `/v1/runs/${run.runId}?waitMs=30000`)).body.status).toBe("completed");
    expect(promptText((await team.supervisor.requests())[1])).toContain("may ask people at most 1 times");
  });
});
