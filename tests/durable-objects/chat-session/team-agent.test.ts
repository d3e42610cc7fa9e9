import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant, shownText } from "../../support/conclave.js";
import { asksHuman, modelOf, newTeam, promptText, routesTo } from "../../support/teams.js";
import { type SeenRequest, upstreamFor } from "../../support/upstream-client.js";

describe("a session whose agent is a team", () => {
  it("waits in its turn for the answer to the team's question, and the answer resumes it", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: { tools: ["ask_human"] }, technical: {} });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply(asksHuman("Which invoice?"), { text: "It is paid." });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const session = await tenant.session({ whileWaiting: "refuse" });

    const waiting = await tenant.say(session, "Is my invoice paid?");
    expect(waiting).toMatchObject({ status: "waiting", asks: [{ question: "Which invoice?" }] });
    const meanwhile = await tenant.call("POST", `/v1/sessions/${session}/messages`, { content: "Hello?" });
    expect(meanwhile).toMatchObject({ status: 409, body: { code: "waiting_on_ask", askId: waiting.asks[0]?.askId } });

    await evictDurableObject(tenant.object(session));
    await tenant.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, { response: "number 17" });
    const done = await tenant.turn(session, waiting.turnId);

    expect(done).toMatchObject({
      status: "completed",
      reply: { modelReply: { turns: [{ message: "It is paid." }], metadata: { team: "desk", workers: "billing" } } },
      usage: { inputTokens: 30, outputTokens: 15 },
    });
    expect(await team.supervisor.requests()).toHaveLength(1);
    expect(await modelOf(team, "billing").requests()).toHaveLength(2);
  });

  it("asks anew in each turn: the answer of an earlier turn answers no question of a later one (fault 7)", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} }, { tools: ["ask_human"] });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const session = await tenant.session();
    const asked: string[] = [];
    for (const response of ["number 17", "number 18"]) {
      const before = (await modelOf(team, "billing").requests()).length;
      await team.supervisor.reply(asksHuman("Which invoice?"), routesTo("billing"));
      await modelOf(team, "billing").reply({ text: "It is paid." });
      const waiting = await tenant.say(session, "Is my invoice paid?");
      expect(waiting).toMatchObject({ status: "waiting", asks: [{ question: "Which invoice?", status: "open" }] });
      const askId = waiting.asks[0]?.askId ?? "";
      asked.push(askId);
      await tenant.call("POST", `/v1/asks/${askId}/answer`, { response });
      expect((await tenant.turn(session, waiting.turnId)).status).toBe("completed");
      expect(promptText((await modelOf(team, "billing").requests())[before])).toContain(response);
    }
    expect(new Set(asked).size).toBe(2);
    const later = (await modelOf(team, "billing").requests()).at(-1);
    const messages: readonly { content: string }[] = JSON.parse(JSON.stringify(later?.body)).messages;
    const history = messages.map(({ content }) => content).join("\n");
    expect(history).toContain('<clarification from="human" question="Which invoice?">\nnumber 17\n');
    expect(history).not.toContain("The person answered");
  });

  it("doesn't give a team's agents what the session excludes, nor the tools that it adds", async () => {
    const tenant = await newTenant();
    for (const tool of ["look", "more"]) {
      await tenant.put("tools", tool, { server: "shop", description: tool, http: { url: "https://shop.test/" } });
    }
    const team = newTeam({ billing: { tools: ["shop/look", "ask_human"] } }, { tools: ["shop/look"] });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Done." });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const look = { server: "shop", tool: "look" };
    const context = { tools: [{ server: "shop", tool: "more" }], excluded: { tools: [look] } };
    const turn = await tenant.say(await tenant.session({ context }), "Hello.");
    expect(turn.status).toBe("completed");
    const toolsOf = (request: SeenRequest | undefined) => promptText(request).match(/"name":"\w+"/g) ?? [];
    expect(toolsOf((await team.supervisor.requests())[0])).toEqual(['"name":"route_to"']);
    expect(toolsOf((await modelOf(team, "billing").requests())[0])).toEqual(['"name":"ask_human"']);
  });

  it("takes a tool away from its agents when the session excludes it while they wait", async () => {
    const tenant = await newTenant();
    const shop = upstreamFor(env.TEST_UPSTREAM);
    await tenant.put("tools", "look", { server: "shop", description: "Looks", http: { url: shop.hookURL } });
    const team = newTeam({ billing: { tools: ["shop/look", "ask_human"] } });
    await team.supervisor.reply(routesTo("billing"));
    const look = { toolCalls: [{ name: "look", arguments: {} }] };
    await modelOf(team, "billing").reply(asksHuman("Which one?"), look, { text: "Done." });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const session = await tenant.session();
    const waiting = await tenant.say(session, "Hello.");
    const remove = { tools: [{ server: "shop", tool: "look" }] };
    const changed = await tenant.call("POST", `/v1/sessions/${session}/context`, { remove });
    expect(changed.status).toBe(200);
    await tenant.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, { response: "this" });
    expect((await tenant.turn(session, waiting.turnId)).status).toBe("completed");
    const [first, second] = await modelOf(team, "billing").requests();
    expect(promptText(first)).toContain('"name":"look"');
    expect(JSON.stringify(toolNames(second))).not.toContain("look");
    expect(await shop.requests()).toHaveLength(0);
  });

  it.each(["supervisor", "worker"])(
    "keeps what a %s's tool returned, though the session excludes the tool meanwhile",
    async (who) => {
      const tenant = await newTenant();
      const shop = upstreamFor(env.TEST_UPSTREAM);
      await shop.reply({ body: "three are left" });
      await tenant.put("tools", "look", { server: "shop", description: "Looks", http: { url: shop.hookURL } });
      const tools = ["shop/look", "ask_human"];
      const team = who === "worker" ? newTeam({ billing: { tools } }) : newTeam({ billing: {} }, { tools });
      const asked = who === "worker" ? modelOf(team, "billing") : team.supervisor;
      const both = [{ name: "look", arguments: {} }, ...(asksHuman("Which one?").toolCalls ?? [])];
      if (who === "worker") await team.supervisor.reply(routesTo("billing"));
      await asked.reply({ toolCalls: both }, ...(who === "worker" ? [] : [routesTo("billing")]));
      await modelOf(team, "billing").reply({ text: "Done." });
      await tenant.put("teams", "desk", team.definition);
      await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
      const session = await tenant.session();
      const waiting = await tenant.say(session, "Hello.");
      const remove = { tools: [{ server: "shop", tool: "look" }] };
      await tenant.call("POST", `/v1/sessions/${session}/context`, { remove });
      await tenant.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, { response: "this" });
      expect((await tenant.turn(session, waiting.turnId)).status).toBe("completed");
      expect(promptText((await asked.requests())[1])).toContain("three are left");
      expect(await shop.requests()).toHaveLength(1);
    },
  );

  it("has the session's rules and references hold for all of its agents", async () => {
    const tenant = await newTenant();
    await tenant.put("rules", "tone", { text: "Speak like a pirate." });
    await tenant.put("references", "prices", { text: "A parrot costs nine." });
    const team = newTeam({ billing: {} });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "Nine." });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const session = await tenant.session({ context: { rules: ["tone"], references: ["prices"] } });
    await tenant.say(session, "How much?");
    for (const model of [team.supervisor, modelOf(team, "billing")]) {
      const seen = promptText((await model.requests())[0]);
      for (const part of ["Speak like a pirate.", "A parrot costs nine."]) expect(seen).toContain(part);
    }
  });

  it("gives the team the history, and streams the supervised response", async () => {
    const tenant = await newTenant();
    await tenant.rules("privacy", [
      { match: { type: "phrases", phrases: ["swordfish"] }, action: "redact", replacement: "[gone]", reason: "x" },
    ]);
    const team = newTeam({ billing: {} }, {}, { supervisors: ["privacy"] });
    await team.supervisor.reply(routesTo("billing"), routesTo("billing"));
    await modelOf(team, "billing").reply({ text: "First answer." }, { text: "It is swordfish." });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const session = await tenant.session();
    await tenant.say(session, "First question.");
    const events = await tenant.stream(session, "Second question.");
    expect(shownText(events)).toBe("It is [gone].");
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(["routing.decided", "worker.returned"]));
    expect(JSON.stringify(events)).not.toContain("swordfish");
    for (const model of [team.supervisor, modelOf(team, "billing")]) {
      expect(promptText((await model.requests())[1])).toContain("First answer.");
    }
  });

  it("tells end users of a failure in words of ours, not in a worker's", async () => {
    const tenant = await newTenant();
    await tenant.rules(
      "privacy",
      [{ match: { type: "phrases", phrases: ["swordfish"] }, action: "redact", replacement: "[gone]", reason: "x" }],
      { hooks: ["response"] },
    );
    const worker = upstreamFor(env.TEST_UPSTREAM);
    await worker.reply({ status: 422, body: "bad input: swordfish" });
    const team = newTeam({ remote: { http: { url: worker.hookURL } } }, {}, { supervisors: ["privacy"] });
    await team.supervisor.reply(routesTo("remote"));
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const events = await tenant.stream(await tenant.session(), "Hello.");
    expect(events.at(-1)?.data).toMatchObject({
      status: "failed",
      error: { content: expect.stringMatching(/^The answer failed: .*\(model_failed\)/) },
    });
    expect(JSON.stringify(events)).not.toMatch(/swordfish|bad input/);
  });

  it("says so when its team is gone", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
    const session = await tenant.session();
    await tenant.call("DELETE", "/v1/teams/desk");
    expect(await tenant.say(session, "Hello.")).toMatchObject({
      status: "failed",
      error: { code: "misconfigured", content: expect.not.stringContaining("desk") },
    });
  });
});

/** What a model was offered. */
function toolNames(request: SeenRequest | undefined): unknown {
  const body = request?.body;
  return typeof body === "object" && body !== null && "tools" in body ? body.tools : undefined;
}
