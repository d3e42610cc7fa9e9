/** What sessions and runs emit, against the catalogue: `parseEvents` refuses whatever is not as the catalogue says. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { eventDefinitions } from "../../src/catalogues/events.js";
import type { EventRoot } from "../../src/conversation/event.js";
import { newTenant, parseEvents, type StreamEvent, type TestTenant } from "../support/conclave.js";
import { assertInCatalogue } from "../support/events.js";
import { mcpKey } from "../support/mcp-key.js";
import { goOn, newPanel, openRequest, requests, seat, type TestPanel, takes } from "../support/roundtables.js";
import { answerOpen, asksHuman, getRun, modelOf, newTeam, routesTo, startRun } from "../support/teams.js";
import { upstreamFor } from "../support/upstream-client.js";

/** Stores a team, and an agent that is that team, whose work emits all that teams emit. */
async function storeDesk(tenant: TestTenant): Promise<void> {
  const stock = upstreamFor(env.TEST_UPSTREAM);
  await stock.reply({ body: "three are left", repeat: true });
  await tenant.put("tools", "look", { server: "shop", description: "Looks", http: { url: stock.hookURL } });
  // Without its key the server refuses to say which tools it has.
  await tenant.put("tools", "docs", { server: "docs", mcp: { url: upstreamFor(env.TEST_UPSTREAM).mcpURL } });

  const pricing = upstreamFor(env.TEST_UPSTREAM);
  await pricing.reply({ status: 500, body: "down" }, { body: "Ten." });
  const greeter = newTeam({ nobody: {} }, { mayAnswer: true });
  await greeter.supervisor.reply({ toolCalls: [{ name: "respond", arguments: { response: "Hello!" } }] });
  const team = newTeam(
    {
      greeter: { team: greeter.definition },
      front: { handoffs: ["billing"] },
      billing: { tools: ["shop/look", "docs/search.pages", "ask_human"] },
      pricing: { http: { url: pricing.hookURL, idempotent: true } },
    },
    { verbose: true },
  );
  await team.supervisor.reply(
    { status: 400, body: { error: { message: "this model does not support tools" } } },
    { text: JSON.stringify({ targetAgent: "nobody" }) },
    routesTo(["front", "pricing", "greeter"], { reevaluate: true }),
    { toolCalls: [{ name: "finish_routing", arguments: { reasoning: "That answers it." } }] },
  );
  await modelOf(team, "front").reply(
    { toolCalls: [{ name: "no_such_tool", arguments: {} }] },
    { toolCalls: [{ name: "hand_off_to", arguments: { worker: "billing", reason: "It is about an invoice." } }] },
  );
  await modelOf(team, "billing").reply({ toolCalls: [{ name: "look", arguments: {} }] }, asksHuman("Which invoice?"), {
    text: "It is paid.",
  });
  await tenant.put("teams", "desk", team.definition);
  await tenant.put("agents", "desk", { kind: "team", team: "desk" });
}

/** A remote tool `slow` that says how far it is. */
async function storeSlowTool(tenant: TestTenant): Promise<void> {
  const server = upstreamFor(env.TEST_UPSTREAM);
  await server.reply({ body: { slow: true }, repeat: true });
  await tenant.put("tools", "far", {
    server: "far",
    mcp: { url: server.mcpURL, headers: { "x-api-key": mcpKey } },
  });
}
const callsSlowTool = { toolCalls: [{ name: "slow", arguments: {} }] };

async function logOf(tenant: TestTenant, root: string): Promise<StreamEvent[]> {
  return parseEvents((await tenant.call("GET", `${root}/events?lingerMs=0`)).body);
}

function typesIn(events: readonly StreamEvent[]): string[] {
  return [...new Set(events.map(({ event }) => event))].sort();
}

/** What only the platform's log of changes brings about is tried in restores.test.ts. */
function typesOf(root: EventRoot): string[] {
  return eventDefinitions()
    .flatMap(({ type, roots }) => (roots.includes(root) && type !== "history.restored" ? [type] : []))
    .sort();
}

/** A session of a model, with everything that only people and models cause. */
async function sessionOfAModel(tenant: TestTenant): Promise<StreamEvent[]> {
  await storeSlowTool(tenant);
  const tools = [
    { server: "conclave", tool: "ask_human" },
    { server: "far", tool: "slow" },
  ];
  const model = await tenant.agent("assistant", { tools });
  await tenant.put("rules", "calm", { text: "Be calm." });
  const session = await tenant.session();
  const path = `/v1/sessions/${session}`;
  await model.reply(
    { chunks: ["One two ", "three four ", "five six ", "seven."], text: "", cut: true },
    callsSlowTool,
    { chunks: ["A new ", "answer."], text: "A new answer." },
    asksHuman("Which?"),
  );
  const streamed = await tenant.stream(session, "Tell me.");
  await tenant.call("POST", `${path}/context`, { add: { rules: ["calm"] } });

  const { messageId, modelReply } = streamed.at(-1)?.data.reply ?? {};
  const message = `${path}/messages/${messageId}`;
  const { items } = (await tenant.call("GET", `${message}/versions`)).body;
  await tenant.call("POST", `${message}/edits`, {
    operations: [{ type: "modify_turn", turnId: modelReply.turns.at(-1).turnId, content: "Another." }],
    baseHash: items.at(-1).hash,
  });
  await tenant.call("POST", `${message}/versions/1/restore`);
  await tenant.call("POST", `${message}/erase`);

  const waiting = await tenant.say(session, "And now?");
  const queued = await tenant.say(session, "Well?", { waitMs: 0 });
  for (const { turnId } of [queued, waiting]) await tenant.call("POST", `${path}/turns/${turnId}/cancel`);
  await tenant.call("POST", `${path}/hold`);
  await tenant.call("POST", `${path}/staff-messages`, { content: "Here I am." });
  await tenant.call("DELETE", `${path}/hold`);
  return [...streamed, ...(await logOf(tenant, path))];
}

async function sessionOfATeam(tenant: TestTenant): Promise<StreamEvent[]> {
  await storeDesk(tenant);
  const session = await tenant.session({ agent: "desk" });
  const turn = await tenant.say(session, "Is it paid?");
  await tenant.call("POST", `/v1/asks/${turn.asks[0]?.askId}/answer`, { response: "17" });
  expect((await tenant.turn(session, turn.turnId)).status).toBe("completed");
  return logOf(tenant, `/v1/sessions/${session}`);
}

/** A run whose response is shown while it is written, once in vain. */
async function streamedRun(tenant: TestTenant): Promise<StreamEvent[]> {
  await storeSlowTool(tenant);
  const team = newTeam({ a: { tools: ["far/slow"] } });
  await team.supervisor.reply(routesTo("a"));
  await modelOf(team, "a").reply(
    callsSlowTool,
    { chunks: ["One two ", "three four ", "five six ", "seven."], text: "", cut: true },
    { chunks: ["A new ", "answer."], text: "A new answer." },
  );
  const accept = { accept: "text/event-stream" };
  return parseEvents((await tenant.call("POST", "/v1/runs", { team: team.definition, input: "Help." }, accept)).body);
}

/** A panel of two seats, one of which fails. */
async function storeBoard(tenant: TestTenant): Promise<TestPanel> {
  const panel = newPanel(["a", "b"], { rounds: 1 });
  await seat(panel, "a").reply(takes("Ship it."));
  await seat(panel, "b").reply({ status: 401, body: { error: { message: "no" } }, repeat: true });
  await tenant.put("panels", "board", panel.fields);
  return panel;
}

async function sessionOfAPanel(tenant: TestTenant): Promise<StreamEvent[]> {
  await storeBoard(tenant);
  await tenant.put("agents", "board", { kind: "panel", panel: "board" });
  const session = await tenant.session({ agent: "board" });
  await tenant.say(session, "Do we ship?");
  return logOf(tenant, `/v1/sessions/${session}`);
}

async function runOfAPanel(tenant: TestTenant): Promise<StreamEvent[]> {
  await storeBoard(tenant);
  const team = newTeam({ board: { panel: "board" } });
  await team.supervisor.reply(routesTo("board"));
  const { runId } = await startRun(tenant, team.definition, "Do we ship?");
  return logOf(tenant, `/v1/runs/${runId}`);
}

/** A roundtable that fails once, asks, and is brought together. */
async function roundtableOfAPanel(tenant: TestTenant): Promise<StreamEvent[]> {
  const panel = newPanel(["a", "b"], { rounds: 1 });
  for (const id of ["a", "b"])
    await seat(panel, id).reply({ status: 401, body: { error: { message: "no" } }, repeat: 2 });
  const { body } = await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields });
  const table = { sessionId: String(body.sessionId) };
  await seat(panel, "a").reply(requests("What is the budget?"), takes("A."), takes("A with it."));
  await seat(panel, "b").reply(takes("B."));
  const asked = await goOn(tenant, table);
  await goOn(tenant, table, { contextResults: [{ requestId: openRequest(asked).requestId, content: "5 million" }] });
  await tenant.call("POST", `/v1/roundtables/${table.sessionId}/synthesis`, {});
  return logOf(tenant, `/v1/roundtables/${table.sessionId}`);
}

describe("the events of the catalogue", () => {
  it("are each emitted by a roundtable that has them, but for tools, which sessions and runs emit alike", async () => {
    const types = typesIn(await roundtableOfAPanel(await newTenant()));
    expect(types).toEqual(typesOf("roundtable").filter((type) => !type.startsWith("tool.")));
  });

  it("are each emitted by a session that has them, with the data that is documented", async () => {
    const ofModel = await sessionOfAModel(await newTenant());
    const ofTeam = await sessionOfATeam(await newTenant());
    const ofPanel = await sessionOfAPanel(await newTenant());
    expect(typesIn([...ofModel, ...ofTeam, ...ofPanel])).toEqual(typesOf("session"));
  });

  it("are each emitted by a run that has them, in its stream and in its trace", async () => {
    const tenant = await newTenant();
    await storeDesk(tenant);
    const waiting = await startRun(tenant, "desk", "Is it paid?");
    const { runId } = await answerOpen(tenant, waiting, "17");
    expect((await getRun(tenant, runId)).status).toBe("completed");
    const streamed = await streamedRun(await newTenant());
    const ofPanel = await runOfAPanel(await newTenant());
    const logged = await logOf(tenant, `/v1/runs/${runId}`);
    expect(typesIn([...streamed, ...logged, ...ofPanel])).toEqual(typesOf("run"));
    const { entries } = (await tenant.call("GET", `/v1/runs/${runId}/trace`)).body;
    expect(entries.length).toBeGreaterThan(15);
    for (const { type, data } of entries) assertInCatalogue(type, data);
  });

  it("show a cancelled and a failed run as they are documented", async () => {
    const tenant = await newTenant();
    const asking = newTeam({ a: { tools: ["ask_human"] } });
    await asking.supervisor.reply(routesTo("a"));
    await modelOf(asking, "a").reply(asksHuman("Which?"));
    const { runId } = await startRun(tenant, asking.definition, "Help.");
    await tenant.call("POST", `/v1/runs/${runId}/cancel`);
    expect((await logOf(tenant, `/v1/runs/${runId}`)).at(-1)).toMatchObject({
      event: "run.completed",
      data: { status: "cancelled", asks: [{ status: "cancelled" }] },
    });

    const failing = newTeam({ a: {} }, {}, { limits: { maxWorkerRetries: 0 } });
    await failing.supervisor.reply({ status: 400, body: { error: { message: "no" } }, repeat: true });
    const failed = await startRun(tenant, failing.definition, "Help.");
    expect((await logOf(tenant, `/v1/runs/${failed.runId}`)).at(-1)).toMatchObject({
      event: "run.completed",
      data: { status: "failed" },
    });
  });
});

describe("an event that tests receive", () => {
  it("is refused when it is none of the catalogue, when a field is missing, or when one is not documented", () => {
    const block = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    expect(parseEvents(block("turn.started", { turnId: "trn_1" }))).toHaveLength(1);
    expect(() => parseEvents(block("turn.begun", { turnId: "trn_1" }))).toThrow("no event of the catalogue");
    expect(() => parseEvents(block("turn.started", {}))).toThrow("not as the catalogue says");
    expect(() => parseEvents(block("turn.started", { turnId: "trn_1", mood: "good" }))).toThrow(
      "more than the catalogue",
    );
  });
});
