import { describe, expect, it } from "vitest";
import {
  newTenant,
  openStream,
  parseEvents,
  type StreamEvent,
  shownText,
  type TestTenant,
} from "../../support/conclave.js";
import { asksHuman, modelOf, newTeam, routesTo, type TestTeam } from "../../support/teams.js";
import type { ScriptedReply, UpstreamModel } from "../../support/upstream-client.js";

const phrase = { type: "phrases", phrases: ["crown jewels"] };
const redacts = { match: phrase, action: "redact", replacement: "***", reason: "no treasure" };
const blocks = { match: phrase, action: "block", reason: "no treasure" };

/** A session whose agent is this team. */
async function sessionOf(tenant: TestTenant, team: TestTeam): Promise<string> {
  await tenant.put("teams", "desk", team.definition);
  await tenant.put("agents", "assistant", { kind: "team", team: "desk" });
  return tenant.session();
}

function deltas(events: readonly StreamEvent[]): StreamEvent[] {
  return events.filter(({ event }) => event === "reply.delta");
}

/** A reply that stops after its first pieces, until it is let go on. */
function held(chunks: readonly string[], afterChunks = 2): ScriptedReply {
  return { chunks, text: chunks.join(""), hold: { name: "h", afterChunks } };
}

/** What is shown while the model is held, and at the end. */
async function shownWhile(tenant: TestTenant, session: string, model: UpstreamModel, early: string) {
  const stream = await openStream(tenant, session);
  const before = await stream.until((events) => shownText(events).includes(early));
  const under = parseEvents(before);
  expect(under.map(({ event }) => event)).not.toContain("turn.completed");
  expect(await model.open()).toBe(1);
  await model.release("h");
  return { before, under, after: parseEvents(await stream.until(() => false)) };
}

describe("a session whose agent is a team, streamed", () => {
  it("shows the answer of the one worker while it is written", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {} });
    await team.supervisor.reply({ ...routesTo("billing"), text: "I'd say billing." });
    const billing = modelOf(team, "billing");
    await billing.reply(held(["Your invoice ", "is paid ", "since Monday."]));
    const { after } = await shownWhile(tenant, await sessionOf(tenant, team), billing, "is paid");
    expect(shownText(after)).toBe("Your invoice is paid since Monday.");
    expect(after.at(-1)?.data.reply.modelReply.turns[0].message).toBe(shownText(after));
    expect(after.map(({ event }) => event)).not.toContain("reply.retracted");
    expect(JSON.stringify(deltas(after))).not.toContain("I'd say");
  });

  it("takes back what a worker says beside a tool call, before the team waits for the answer", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: { tools: ["ask_human"] } });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ ...asksHuman("Which invoice?"), text: "Let me ask." }, { text: "Paid." });
    const session = await sessionOf(tenant, team);
    const events = await tenant.stream(session, "Is it paid?");
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(["reply.retracted", "turn.waiting"]));
    expect(shownText(events)).toBe("");
    const { turnId, askId } = events.find(({ event }) => event === "ask.opened")?.data ?? {};
    await tenant.call("POST", `/v1/asks/${askId}/answer`, { response: "17" });
    const asked = events.find(({ event }) => event === "turn.waiting")?.data.turnId ?? turnId;
    expect((await tenant.turn(session, asked)).reply).toMatchObject({ modelReply: { turns: [{ message: "Paid." }] } });
  });

  it("takes back what a worker wrote that failed, and shows the one that answers in its place", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {}, general: {} }, {}, { limits: { maxWorkerRetries: 0 } });
    await team.supervisor.reply(routesTo("billing"), routesTo("general"));
    await modelOf(team, "billing").reply({ chunks: ["Half ", "of an ", "answer"], text: "", cut: true, repeat: 3 });
    const general = modelOf(team, "general");
    await general.reply(held(["All ", "of ", "it."]));
    const { under, after } = await shownWhile(tenant, await sessionOf(tenant, team), general, "All of");
    expect(JSON.stringify(deltas(under))).toContain("Half");
    expect(shownText(under)).toBe("All of ");
    expect(shownText(after)).toBe("All of it.");
  });

  it("lets no byte out that supervisors of responses forbid", async () => {
    const tenant = await newTenant();
    await tenant.rules("guard", [blocks]);
    const team = newTeam({ billing: {} }, {}, { supervisors: ["guard"] });
    await team.supervisor.reply(routesTo("billing"));
    const billing = modelOf(team, "billing");
    await billing.reply(held(["Well, see: ", "the crown ", "jewels are here."]));
    const { before, after } = await shownWhile(tenant, await sessionOf(tenant, team), billing, "Well, see:");
    expect(before).not.toContain("crown");
    expect(JSON.stringify(after)).not.toMatch(/crown|jewels/);
    expect(after.at(-1)?.data.status).toBe("blocked");
  });

  it("lets nothing out that supervisors of hops change in the worker's result", async () => {
    const tenant = await newTenant();
    await tenant.rules("hops", [redacts], { hooks: ["hop"] });
    const team = newTeam({ billing: {} }, {}, { supervisors: ["hops"] });
    await team.supervisor.reply(routesTo("billing"));
    const billing = modelOf(team, "billing");
    await billing.reply(held(["Well, see: ", "the crown ", "jewels are ", "here."]));
    const { after } = await shownWhile(tenant, await sessionOf(tenant, team), billing, "Well, see:");
    expect(JSON.stringify(after)).not.toMatch(/crown|jewels/);
    expect(shownText(after)).toBe("Well, see: the *** are here.");
    expect(after.map(({ event }) => event)).not.toContain("reply.retracted");
  });

  it("holds the whole where a supervisor of hops has to see the whole", async () => {
    const tenant = await newTenant();
    await tenant.rules("short", [{ match: { type: "length", max: 5_000 }, action: "block", reason: "long" }], {
      hooks: ["hop"],
    });
    const team = newTeam({ billing: {} }, {}, { supervisors: ["short"] });
    await team.supervisor.reply(routesTo("billing"));
    await modelOf(team, "billing").reply({ chunks: ["It ", "is ", "paid."], text: "It is paid." });
    const events = await tenant.stream(await sessionOf(tenant, team), "Tell me.");
    expect(deltas(events).map(({ data }) => data.text)).toEqual(["It is paid."]);
  });

  it("shows of several workers nothing but what the model makes of their results, while it does", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {}, technical: {}, maker: {} });
    const maker = modelOf(team, "maker");
    await team.supervisor.reply(routesTo(["billing", "technical"]));
    await modelOf(team, "billing").reply({ text: "It is paid." });
    await modelOf(team, "technical").reply({ text: "It works." });
    await maker.reply(held(["Paid, ", "and it ", "works."]));
    const made = { ...team.definition, aggregator: { mode: "model", model: `openai/${maker.model}` } };
    const session = await sessionOf(tenant, { ...team, definition: made });
    const { after } = await shownWhile(tenant, session, maker, "and it");
    expect(shownText(after)).toBe("Paid, and it works.");
    expect(JSON.stringify(deltas(after))).not.toMatch(/It is paid|It works/);
  });

  it("shows nothing of several results that are put together before they are", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {}, technical: {} });
    await team.supervisor.reply(routesTo(["billing", "technical"]));
    await modelOf(team, "billing").reply({ text: "It is paid." });
    await modelOf(team, "technical").reply({ text: "It works." });
    const events = await tenant.stream(await sessionOf(tenant, team), "Tell me.");
    expect(deltas(events)).toHaveLength(1);
    expect(shownText(events)).toBe("It is paid.\n\nIt works.");
  });

  it("shows nothing of a result that the supervisor wants to see before it decides again", async () => {
    const tenant = await newTenant();
    const team = newTeam({ billing: {}, technical: {} });
    await team.supervisor.reply(routesTo("billing", { reevaluate: true }), routesTo("technical"));
    await modelOf(team, "billing").reply({ text: "It is paid." });
    await modelOf(team, "technical").reply({ text: "It works." });
    const events = await tenant.stream(await sessionOf(tenant, team), "Tell me.");
    expect(shownText(events)).toBe("It works.");
    expect(JSON.stringify(deltas(events))).not.toContain("It is paid");
    expect(events.map(({ event }) => event)).not.toContain("reply.retracted");
  });

  it("streams through a team inside the team, past the supervisors at its door", async () => {
    const tenant = await newTenant();
    await tenant.rules("door", [redacts], { hooks: ["response"] });
    const inner = newTeam({ clerk: {} }, {}, { supervisors: ["door"] });
    const team = newTeam({ billing: { team: inner.definition } });
    await team.supervisor.reply(routesTo("billing"));
    await inner.supervisor.reply(routesTo("clerk"));
    const clerk = modelOf(inner, "clerk");
    await clerk.reply(held(["Well, see: ", "the crown ", "jewels are ", "here."]));
    const { after } = await shownWhile(tenant, await sessionOf(tenant, team), clerk, "Well, see:");
    expect(JSON.stringify(after)).not.toMatch(/crown|jewels/);
    expect(shownText(after)).toBe("Well, see: the *** are here.");
    expect(after.map(({ event }) => event)).not.toContain("reply.retracted");
  });
});
