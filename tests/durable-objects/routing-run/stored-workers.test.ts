/** What may be stored as a team, and stored agents that work in one. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newTenant } from "../../support/conclave.js";
import { answerOpen, asksHuman, modelOf, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";
import { upstreamFor } from "../../support/upstream-client.js";

const worker = { id: "a", description: "All" };
const rules = { strategy: "skill-based" };

describe("a team that couldn't run as it is", () => {
  it("is refused when it is stored, with what is wrong and where", async () => {
    const tenant = await newTenant();
    const put = (name: string, body: object) => tenant.call("PUT", `/v1/teams/${name}`, body);
    await put("b", { supervisor: rules, workers: [{ ...worker, team: "a" }] });
    await tenant.call("PUT", "/v1/agents/loop", { kind: "team", team: "c" });
    let deep: object = { supervisor: rules, workers: [worker] };
    for (let depth = 0; depth < 4; depth++) deep = { supervisor: rules, workers: [{ ...worker, team: deep }] };

    const refused = [
      [
        await put("a", { supervisor: rules, workers: [{ ...worker, team: "b" }] }),
        "workers.0.team",
        "teams/a → teams/b → teams/a",
      ],
      [
        await put("c", { supervisor: rules, workers: [{ ...worker, agent: "loop" }] }),
        "workers.0.agent",
        "agents/loop → teams/c",
      ],
      [await put("deep", deep), "workers.0.team.workers.0.team.workers.0.team.workers.0.team", "at most 4 deep"],
      [
        await put("d", { supervisor: { ...rules, tools: ["ask_human"] }, workers: [worker] }),
        "supervisor.tools",
        "calls no tools",
      ],
      [
        await put("e", { supervisor: { ...rules, mayAnswer: true }, workers: [worker] }),
        "supervisor.mayAnswer",
        "no model",
      ],
    ] as const;
    for (const [{ status, body }, path, message] of refused) {
      expect([status, body.errors?.[0]?.path]).toEqual([422, path]);
      expect(body.errors[0].message).toContain(message);
    }
  });

  it("is refused when names make it too deep", async () => {
    const tenant = await newTenant();
    const put = (name: string, more: object) =>
      tenant.call("PUT", `/v1/teams/${name}`, { supervisor: rules, workers: [{ ...worker, ...more }] });
    for (const [name, inner] of [
      ["t1", {}],
      ["t2", { team: "t1" }],
      ["t3", { team: "t2" }],
      ["t4", { team: "t3" }],
    ] as const)
      expect((await put(name, inner)).status).toBe(201);
    const { status, body } = await put("t5", { team: "t4" });
    expect([status, body.errors?.[0]?.message]).toEqual([
      422,
      "teams may be nested at most 4 deep: teams/t5 → teams/t4 → teams/t3 → teams/t2 → teams/t1",
    ]);
  });
});

describe("a tool that is called like one of the system's", () => {
  it("is refused when it is stored, as is a server called like the system's", async () => {
    const tenant = await newTenant();
    const http = { url: "http://localhost/x" };
    for (const [name, server, path] of [
      ["route_to", "shop", "name"],
      ["ask_human", "shop", "name"],
      ["find", "routing", "server"],
      ["find", "conclave", "server"],
    ] as const) {
      const { status, body } = await tenant.call("PUT", `/v1/tools/${name}`, { server, description: "x", http });
      expect([status, body.errors?.[0]?.path]).toEqual([422, path]);
    }
  });
});

describe("a stored agent as a worker", () => {
  it("works with its own instructions, tools, rules and supervisors", async () => {
    const tenant = await newTenant();
    const model = upstreamFor(env.TEST_UPSTREAM);
    await tenant.put("rules", "calm", { text: "Never promise a date." });
    await tenant.put("supervisors", "names", {
      kind: "rules",
      hooks: ["response"],
      config: {
        rules: [{ match: { type: "phrases", phrases: ["blue falcon"] }, action: "redact", reason: "Internal." }],
      },
    });
    await tenant.put("agents", "shipper", {
      kind: "model",
      model: `openai/${model.model}`,
      instructions: "You ship parcels.",
      tools: [{ server: "conclave", tool: "ask_human" }],
      rules: ["calm"],
      supervisors: ["names"],
    });
    const team = newTeam({ shipping: { agent: "shipper", model: undefined } });
    await team.supervisor.reply(routesTo("shipping"));
    await model.reply(asksHuman("Which parcel?"), { text: "The blue falcon is on its way." });
    const run = await answerOpen(tenant, await startRun(tenant, team.definition, "Where is it?"), "the red one");
    expect(run).toMatchObject({ status: "completed", response: expect.not.stringContaining("blue falcon") });
    const [first] = await model.requests();
    expect(promptText(first)).toContain("You ship parcels.");
    expect(promptText(first)).toContain("Never promise a date.");
  });

  it("that isn't there is named when a run begins", async () => {
    const tenant = await newTenant();
    const team = { supervisor: rules, workers: [{ ...worker, agent: "nobody" }] };
    const { status, body } = await tenant.call("POST", "/v1/runs", { team, input: "Hello." });
    expect([status, body.errors?.[0]?.message]).toEqual([
      422,
      "there is no agents/nobody; store it at PUT /v1/agents/nobody",
    ]);
  });
});

describe("a session of a sticky team", () => {
  it("stays with the worker that answered, shows it what the team lists of the end user, and follows a handoff", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {}, shipping: {} }, { sticky: true }, { context: ["metadata.plan"] });
    await tenant.put("teams", "desk", team.definition);
    await tenant.put("agents", "desk", { kind: "team", team: "desk" });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply(
      { text: "It is paid." },
      { text: "That one too." },
      { toolCalls: [{ name: "hand_off_to", arguments: { worker: "shipping", reason: "A parcel." } }] },
    );
    await modelOf(team, "shipping").reply({ text: "On its way." }, { text: "Tomorrow." });
    const session = await tenant.session({ agent: "desk", metadata: { plan: "gold" } });
    for (const message of ["Is it paid?", "And the other?", "Where is my parcel?", "When?"])
      await tenant.say(session, message);
    expect(await team.supervisor.requests()).toHaveLength(1);
    expect(await modelOf(team, "shipping").requests()).toHaveLength(2);
    expect(promptText((await modelOf(team, "billing").requests())[0])).toContain("gold");
  });
});
