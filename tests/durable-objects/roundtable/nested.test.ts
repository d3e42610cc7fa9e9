/** A panel within other work: as the agent of a session, and as a worker of a team; and what seats did with tools. */
import { describe, expect, it } from "vitest";
import { newTenant, shownText, type TestTenant } from "../../support/conclave.js";
import { crash } from "../../support/objects.js";
import { goOn, held, newPanel, requests, seat, type TestPanel, takes } from "../../support/roundtables.js";
import { getRun, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";
import { httpTool } from "../supervision/support.js";

const synthesis = {
  text: JSON.stringify({
    conclusion: "The panel would ship.",
    recommendation: "Ship on Monday.",
    commonGround: [],
    keyDifferences: [],
    evolution: "",
    confidence: 0.7,
    citations: [],
  }),
};

async function panelSession(tenant: TestTenant, panel: TestPanel, fields: object = {}): Promise<string> {
  await tenant.put("panels", "board", { ...panel.fields, ...fields });
  await tenant.put("agents", "assistant", { kind: "panel", panel: "board" });
  return tenant.session();
}

describe("a panel as the agent of a session", () => {
  it("debates the message, and its synthesis is the reply, streamed like any other", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    const session = await panelSession(tenant, panel);
    await seat(panel, "a").reply(takes("A1."), takes("A2."));
    await seat(panel, "b").reply(takes("B1."), takes("B2."));
    await panel.analyst.reply(synthesis);

    const events = await tenant.stream(session, "Do we ship?");
    expect(shownText(events)).toContain("The panel would ship.");
    expect(
      events.filter(({ event }) => event === "position.taken").map(({ data }) => [data.round, data.agentId]),
    ).toHaveLength(4);
    const turn = events.find(({ event }) => event === "turn.completed")?.data;
    expect(turn).toMatchObject({
      status: "completed",
      reply: { modelReply: { metadata: { panel: "board", rounds: 2, exit: "rounds" } } },
    });
    expect(promptText((await seat(panel, "a").requests())[1])).toContain("B1.");
  });

  it("waits for what a seat requires, through a crash, and goes on with the answer", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    const session = await panelSession(tenant, panel);
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A1."), takes("A2."));
    await seat(panel, "b").reply(takes("B1."), takes("B2."));
    await panel.analyst.reply(synthesis);
    const waiting = await tenant.say(session, "Do we ship?");
    expect(waiting).toMatchObject({
      status: "waiting",
      asks: [{ kind: "context", question: "What is the budget?", from: { agent: "a", sessionId: session } }],
    });

    await crash();

    const askId = waiting.asks[0]?.askId;
    await tenant.call("POST", `/v1/asks/${askId}/answer`, { result: "5 million", source: "the board" });
    expect(await tenant.turn(session, waiting.turnId)).toMatchObject({ status: "completed" });
    // Nobody who had spoken was asked again.
    expect(await seat(panel, "b").requests()).toHaveLength(2);
    expect(promptText((await seat(panel, "b").requests())[1])).toContain("5 million");
  });

  it("takes what the user types next for what a seat asked them, and goes on", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    await tenant.put("panels", "board", panel.fields);
    await tenant.put("agents", "assistant", { kind: "panel", panel: "board" });
    const session = await tenant.session({ whileWaiting: "answer" });
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A1."), takes("A2."));
    await seat(panel, "b").reply(takes("B1."), takes("B2."));
    await panel.analyst.reply(synthesis);
    const waiting = await tenant.say(session, "Do we ship?");
    expect(waiting).toMatchObject({ status: "waiting", asks: [{ kind: "context", audience: "user" }] });
    const answered = await tenant.say(session, "5 million");
    expect(answered).toMatchObject({ turnId: waiting.turnId, status: "completed" });
    expect(promptText((await seat(panel, "b").requests())[1])).toContain("5 million");
    const { body } = await tenant.call("GET", `/v1/sessions/${session}/messages`);
    expect(body.items[1]).toMatchObject({ content: "5 million", answers: waiting.asks[0]?.askId });
  });

  it("is read and exported like any roundtable, under an id of its own", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    const session = await panelSession(tenant, panel);
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A1."), takes("A2 [C1]."));
    await seat(panel, "b").reply(takes("B1."), takes("B2."));
    await panel.analyst.reply({
      text: JSON.stringify({ conclusion: "It fits the budget [C1], not [C7].", citations: ["C1"] }),
    });
    const waiting = await tenant.say(session, "Do we ship?");
    await tenant.call("POST", `/v1/asks/${waiting.asks[0]?.askId}/answer`, {
      result: "5 million",
      source: "the board",
    });
    const turn = await tenant.turn(session, waiting.turnId);
    // Nobody who reads the reply has a list of labels.
    const text = turn.reply?.modelReply.turns.map(({ message }) => message).join("");
    expect(text).toContain("It fits the budget (the board), not .");
    const id = String(turn.reply?.modelReply.metadata?.["roundtableId"]);
    expect(id).toMatch(new RegExp(`^rt_.*_${session}$`));

    const get = (path: string) => tenant.call("GET", `/v1/roundtables/${id}${path}`);
    expect((await get("")).body).toMatchObject({
      sessionId: id,
      topic: "Do we ship?",
      status: "completed",
      running: false,
      currentRound: 2,
      responses: [{ agentId: "a", position: "A2 [C1]." }, { agentId: "b" }],
      synthesis: { conclusion: "It fits the budget [C1], not [C7]." },
    });
    expect((await get("/rounds/1")).body).toMatchObject({ responses: [{ position: "A1." }, { position: "B1." }] });
    expect((await get("/consensus")).body).toMatchObject({ round: 2 });
    expect((await get("/thoughts/a")).body).toMatchObject({ agentId: "a" });
    expect((await get("/requests")).body.items).toMatchObject([
      { status: "answered", result: "5 million", source: "the board" },
    ]);
    expect((await get("/export?format=markdown")).body).toContain("5 million");
    expect((await get("/export")).body).toMatchObject({ sessionId: id, format: "conclave.roundtable/1" });

    const stranger = await newTenant();
    for (const path of ["", "/export", "/rounds/1"]) {
      expect((await stranger.call("GET", `/v1/roundtables/${id}${path}`)).status).toBe(404);
    }
    expect((await get("x/export")).status).toBe(404);
    await tenant.call("DELETE", `/v1/sessions/${session}`);
    expect((await get("/export")).status).toBe(404);
  });

  it("is nowhere any more once the message that it was about is erased", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 1 });
    const session = await panelSession(tenant, panel);
    for (const id of ["a", "b"]) await seat(panel, id).reply(takes("Ship."));
    await panel.analyst.reply(synthesis);
    const turn = await tenant.say(session, "Do we ship?");
    const path = `/v1/roundtables/${String(turn.reply?.modelReply.metadata?.["roundtableId"])}`;
    expect((await tenant.call("GET", path)).status).toBe(200);
    const message = `/v1/sessions/${session}/messages/${turn.message?.messageId}`;
    expect((await tenant.call("POST", `${message}/erase`)).status).toBe(200);
    expect((await tenant.call("GET", path)).status).toBe(404);
  });

  it("can be read while it waits, and says that it stopped where its turn was cancelled", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    const session = await panelSession(tenant, panel);
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A1."));
    await seat(panel, "b").reply(takes("B1."));
    const events = await tenant.stream(session, "Do we ship?");
    const turnId = String(events.find(({ data }) => data.turnId !== undefined)?.data.turnId);
    const taken = events.find(({ event }) => event === "position.taken");
    const path = `/v1/roundtables/${String(taken?.data.roundtableId)}`;
    expect((await tenant.call("GET", path)).body).toMatchObject({
      status: "needs_context",
      blocking: true,
      contextRequests: [{ query: "What is the budget?" }],
    });
    await tenant.call("POST", `/v1/sessions/${session}/turns/${turnId}/cancel`);
    expect((await tenant.call("GET", path)).body).toMatchObject({ status: "completed", exit: { reason: "stopped" } });
  });

  it("says in the calls of a turn that was cancelled what its seats did", async () => {
    const tenant = await newTenant();
    const shop = await httpTool(tenant, "charge", { parameters: { type: "object" } });
    await shop.reply({ body: "Charged." });
    const panel = newPanel(["a", "b"], { rounds: 1, tools: ["shop/charge"] });
    const session = await panelSession(tenant, panel);
    const charge = { toolCalls: [{ name: "charge", arguments: { order: 17 } }] };
    await seat(panel, "a").reply(charge, { ...takes("Lost."), hold: "a" });
    await seat(panel, "b").reply(takes("B."));
    const { turnId } = await tenant.say(session, "Charge order 17.", { waitMs: 0 });
    await seat(panel, "a").until({ requests: 2, open: 1 });
    await tenant.call("POST", `/v1/sessions/${session}/turns/${turnId}/cancel`);
    expect(await tenant.turn(session, turnId)).toMatchObject({
      status: "cancelled",
      calls: [{ server: "shop", tool: "charge", outcome: "done" }],
    });
  });

  it("has its positions, its tool calls and its synthesis supervised", async () => {
    const tenant = await newTenant();
    await tenant.rules(
      "secrets",
      [{ match: { type: "phrases", phrases: ["unicorn"] }, action: "block", reason: "No unicorns." }],
      { hooks: ["response", "hop"] },
    );
    const panel = newPanel(["a", "b"], { rounds: 1, supervisors: ["secrets"] });
    const session = await panelSession(tenant, panel);
    await seat(panel, "a").reply(takes("Ask the unicorn."));
    await seat(panel, "b").reply(takes("Ship it."));
    await panel.analyst.reply(synthesis);
    const turn = await tenant.say(session, "Do we ship?");
    expect(turn.status).toBe("completed");
    expect(promptText((await panel.analyst.requests())[0])).not.toContain("unicorn");
  });
});

describe("a panel as a worker of a team", () => {
  it("debates its task, waits for context in the run, and returns its synthesis", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 2 });
    await tenant.put("panels", "board", panel.fields);
    const team = newTeam({ board: { panel: "board" } });
    await team.supervisor.reply(routesTo("board"));
    await seat(panel, "a").reply(requests("What is the budget?"), takes("A1."), takes("A2."));
    await seat(panel, "b").reply(takes("B1."), takes("B2."));
    await panel.analyst.reply(synthesis);
    const run = await startRun(tenant, team.definition, "Do we ship?");
    expect(run).toMatchObject({
      status: "waiting",
      asks: [{ kind: "context", from: { agent: "a", runId: run.runId } }],
    });
    await tenant.call("POST", `/v1/asks/${run.asks[0]?.askId}/answer`, { result: "5 million" });
    expect(await getRun(tenant, run.runId)).toMatchObject({
      status: "completed",
      response: expect.stringContaining("The panel would ship."),
    });
  });

  it("may be a stored agent: its rules and its supervisors hold beside the panel's", async () => {
    const tenant = await newTenant();
    const panel = newPanel(["a", "b"], { rounds: 1 });
    await tenant.put("panels", "board", panel.fields);
    await tenant.put("rules", "calm", { text: "Never promise a date." });
    await tenant.rules(
      "names",
      [{ match: { type: "phrases", phrases: ["Ada"] }, action: "redact", replacement: "[name]", reason: "name" }],
      { hooks: ["request"] },
    );
    await tenant.put("agents", "board", { kind: "panel", panel: "board", rules: ["calm"], supervisors: ["names"] });
    const team = newTeam({ board: { agent: "board", model: undefined } });
    await team.supervisor.reply(routesTo("board"));
    for (const id of ["a", "b"]) await seat(panel, id).reply(takes("Ship."));
    await panel.analyst.reply(synthesis);
    const run = await startRun(tenant, team.definition, "Does Ada ship?");
    expect(run).toMatchObject({ status: "completed", response: expect.stringContaining("The panel would ship.") });
    const read = promptText((await seat(panel, "a").requests())[0]);
    expect(read).toContain("Never promise a date.");
    expect(read).toContain("[name]");
    expect(read).not.toContain("Ada");
  });
});

describe("what a seat of a roundtable did with a tool", () => {
  it("isn't done again by the same continue after all seats failed, which says that it was done", async () => {
    const tenant = await newTenant();
    const shop = await httpTool(tenant, "charge", { parameters: { type: "object" } });
    await shop.reply({ body: "Charged." });
    const panel = newPanel(["a", "b"], { tools: ["shop/charge"], limits: { maxSeatRetries: 0 } });
    const charge = { toolCalls: [{ name: "charge", arguments: { order: 17 } }] };
    const noPosition = { text: "I can't say.", repeat: 2 };
    await seat(panel, "a").reply(charge, noPosition, charge, takes("Charged already."));
    await seat(panel, "b").reply(noPosition, takes("Fine."));
    const { body: failed } = await tenant.call("POST", "/v1/roundtables", { topic: "Do we ship?", ...panel.fields });
    expect(failed).toMatchObject({
      error: { code: "all_seats_failed", detail: expect.stringContaining("shop/charge by a") },
    });
    expect(held(await goOn(tenant, failed))).toEqual({ a: "Charged already.", b: "Fine." });
    expect(await shop.requests()).toHaveLength(1);
    const [, , , again] = await seat(panel, "a").requests();
    expect(promptText(again)).toContain("<done by=");
  });
});
