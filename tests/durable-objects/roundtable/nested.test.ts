/** A panel within other work: as the agent of a session, and as a worker of a team. */
import { describe, expect, it } from "vitest";
import { newTenant, shownText, type TestTenant } from "../../support/conclave.js";
import { crash } from "../../support/objects.js";
import { newPanel, requests, seat, type TestPanel, takes } from "../../support/roundtables.js";
import { getRun, newTeam, promptText, routesTo, startRun } from "../../support/teams.js";

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
});
