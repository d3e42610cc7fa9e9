/** What a team did, found out or asked isn't done, looked up or asked again: the tool server's own log is the witness. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, type TestTenant } from "../../support/conclave.js";
import { answerOpen, asksHuman, modelOf, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";

const down = { status: 400, body: { error: { message: "down" } } } as const;

async function shop(tenant: TestTenant, name: string, http: object = {}) {
  const server = upstreamFor(env.TEST_UPSTREAM);
  await server.reply({ body: { receipt: "R-1" }, repeat: true });
  const parameters = { type: "object", properties: { order: { type: "integer" } } };
  const url = `${server.hookURL}/${name}`;
  await tenant.put("tools", name, { server: "shop", description: name, parameters, http: { url, ...http } });
  return server;
}

const calls = (name: string, order: number) => ({ toolCalls: [{ name, arguments: { order } }] });

describe("a worker whose model fails after it charged", () => {
  it("is asked again with the exchange as it was, and charges once", async () => {
    const tenant = await newTenant();
    const server = await shop(tenant, "charge");
    const team = newTeam({ billing: { tools: ["shop/charge"] } }, { strategy: "skill-based" });
    await modelOf(team, "billing").reply(calls("charge", 17), down, { text: "Charged." });
    const run = await startRun(tenant, team.definition, "Charge order 17.");
    expect(run).toMatchObject({
      status: "completed",
      response: "Charged.",
      results: [{ attempts: 2, effects: [{ server: "shop", tool: "charge", outcome: "done" }] }],
    });
    expect(promptText((await modelOf(team, "billing").requests())[2])).toContain("R-1");
    expect(await server.requests()).toHaveLength(1);
  });

  it("is replaced by one that is told so, and whose very same call isn't made", async () => {
    const tenant = await newTenant();
    const server = await shop(tenant, "charge");
    const tools = ["shop/charge"];
    const team = newTeam({ billing: { tools }, general: { tools } }, { fallbackWorker: "general" });
    await team.supervisor.reply(routesTo("billing"), { text: "?" }, { text: "?" });
    await modelOf(team, "billing").reply(calls("charge", 17), { ...down, repeat: true });
    await modelOf(team, "general").reply(calls("charge", 17), { text: "It was charged." });
    const run = await startRun(tenant, team.definition, "Charge order 17.");
    expect(run).toMatchObject({ status: "completed", response: "It was charged." });
    expect(await server.requests()).toHaveLength(1);
    const [brief, second] = await modelOf(team, "general").requests();
    expect(promptText(brief)).toContain('<done by=\\"billing\\" tool=\\"shop/charge\\"');
    expect(promptText(second)).toContain("Not called again");
    expect(promptText((await team.supervisor.requests())[1])).toContain("shop/charge");
  });

  it("leaves a failed run that says what was done", async () => {
    const tenant = await newTenant();
    await shop(tenant, "charge");
    const team = newTeam({ billing: { tools: ["shop/charge"] } }, { strategy: "skill-based" });
    await modelOf(team, "billing").reply(calls("charge", 17), { ...down, repeat: true });
    const { error } = await startRun(tenant, team.definition, "Charge order 17.");
    expect(error?.detail).toContain("What was done all the same: shop/charge by billing.");
  });
});

describe("a worker at an address", () => {
  it("is called again under the same key, with the answers that it had", async () => {
    const tenant = await newTenant();
    const hook = upstreamFor(env.TEST_UPSTREAM);
    await hook.reply({ body: { ask: { question: "Which?" } } }, { status: 500 }, { body: { response: "Done." } });
    const team = newTeam({ a: { http: { url: hook.hookURL, idempotent: true } } }, { strategy: "skill-based" });
    const waiting = await startRun(tenant, team.definition, "Help.");
    expect(await answerOpen(tenant, waiting, "this one")).toMatchObject({ response: "Done." });
    const [first, second, third] = (await hook.requests()).map(({ headers, body }) => ({
      key: headers["idempotency-key"],
      body: JSON.stringify(body),
    }));
    expect(third).toEqual(second);
    expect(second?.key).not.toBe(first?.key);
    expect(third?.body).toContain('"answer":"this one","from":"human"');
  });
});

describe("a supervisor that decides again", () => {
  it("still has what its tools returned, and its workers get it", async () => {
    const tenant = await newTenant();
    const server = await shop(tenant, "look", { method: "GET" });
    const team = newTeam({ a: {}, b: {} }, { tools: ["shop/look"] });
    await team.supervisor.reply(calls("look", 17), routesTo("a", { reevaluate: true }), routesTo("b"));
    await modelOf(team, "a").reply({ text: "A." });
    await modelOf(team, "b").reply({ text: "B." });
    expect((await startRun(tenant, team.definition, "Look.")).status).toBe("completed");
    expect(promptText((await team.supervisor.requests())[2])).toContain("R-1");
    for (const id of ["a", "b"]) {
      const brief = promptText((await modelOf(team, id).requests())[0]);
      expect(brief).toContain("<found tool=");
      expect(brief).toContain("R-1");
    }
    expect(await server.requests()).toHaveLength(1);
  });
});

describe("a question that was answered", () => {
  it("isn't put to the person again, whoever of the run asks it", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: { tools: ["ask_human"] } }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman("Which order is it?"), routesTo("a"));
    await modelOf(team, "a").reply(asksHuman("Which order is it, please?"), down, { text: "Found." });
    const waiting = await startRun(tenant, team.definition, "Where is my order?");
    const done = await answerOpen(tenant, waiting, "A-17");
    expect(done).toMatchObject({
      status: "completed",
      clarifications: [
        {
          askId: waiting.asks[0]?.askId,
          question: "Which order is it?",
          answer: "A-17",
          from: "human",
          by: { kind: "key" },
          at: expect.any(String),
        },
      ],
    });
    expect(done.asks).toHaveLength(1);
    expect(promptText((await modelOf(team, "a").requests())[1])).toContain("The person answered: A-17");
  });

  it("in a session is in the history, and in the next prompts of the team", async () => {
    const tenant = await newTenant();
    const team = newTeam({ a: {} }, { tools: ["ask_human"] });
    await team.supervisor.reply(asksHuman("Which order is it?"), routesTo("a"), routesTo("a"));
    await modelOf(team, "a").reply({ text: "Found." }, { text: "Again." });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const session = await tenant.session();
    const waiting = await tenant.say(session, "Where is my order?");
    await tenant.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, { response: "Number A-17" });
    const turn = (await tenant.call("GET", `/v1/sessions/${session}/turns/${waiting.turnId}?waitMs=30000`)).body;
    const asked = {
      tool: "ask_human",
      args: { question: "Which order is it?" },
      output: "The person answered: Number A-17",
    };
    expect(turn.reply.modelReply.turns[0].toolCalls).toMatchObject([asked]);
    await tenant.say(session, "And now?");
    expect(promptText((await team.supervisor.requests()).at(-1))).toContain("Number A-17");
    expect(promptText((await modelOf(team, "a").requests()).at(-1))).toContain("Number A-17");
  });
});
