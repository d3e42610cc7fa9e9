import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/model/port.js";
import { loadedTeam, refusingTools, routeTo, TeamWorld, tool, worker } from "./support.js";

const supervisor = { strategy: "llm-based", model: "openai/boss" };

function team(more: object = {}, fields: object = {}) {
  return loadedTeam(
    { supervisor: { ...supervisor, ...more }, workers: [worker("billing"), worker("shipping")], ...fields },
    { tools: ({ tools }) => (tools.length === 0 ? [] : [tool("find_order", "Order 7 is on its way.")]) },
  );
}

describe("a supervisor whose model takes no tools", () => {
  const asking = loadedTeam({ supervisor: { ...supervisor, tools: ["ask_human"] }, workers: [worker("billing")] });
  const question = '{"tool": "ask_human", "arguments": {"question": "Which invoice?"}}';
  const decision = '```json\n{"tool": "route_to", "arguments": {"targetAgent": "billing", "confidence": 0.8}}\n```';

  it("asks people all the same: it writes its calls as JSON, and reads what was answered", async () => {
    const world = new TeamWorld(asking, { boss: [refusingTools, question, decision], billing: ["Done."] });
    const outcome = await world.run("My invoice is wrong.", ["the last one"]);
    expect(outcome).toMatchObject({ kind: "completed", decisions: [{ targetAgent: "billing", confidence: 0.8 }] });
    expect(world.asks).toMatchObject([{ question: "Which invoice?", status: "answered" }]);
    expect(world.sentTo("boss")[1]).not.toHaveProperty("tools");
    expect(world.prompt("boss", 1)).toContain("- ask_human: Ask a person");
    expect(world.prompt("boss", 2)).toContain("the last one");
  });

  it("leaves a line in the story that says so", async () => {
    const world = new TeamWorld(asking, { boss: [refusingTools, decision], billing: ["Done."] });
    await world.run("My invoice is wrong.");
    expect(world.trace.filter(({ type }) => type === "tools.refused")).toMatchObject([{ agent: "supervisor" }]);
  });

  it("isn't taken for one when its request was refused for another reason", async () => {
    const tooLong = new ModelError("bad_request", "the provider answered 400 (context_length_exceeded)");
    const world = new TeamWorld(asking, { boss: [tooLong], billing: ["Done."] });
    const outcome = await world.run("My invoice is wrong.");
    expect(outcome).toMatchObject({ kind: "failed", detail: expect.stringContaining("context_length_exceeded") });
    expect(world.sentTo("boss")).toHaveLength(1);
  });
});

describe("a supervisor that may answer", () => {
  const hello = { name: "respond", args: { response: "Hello! How can I help?", reasoning: "A greeting." } };

  it("answers a greeting itself: no worker is called", async () => {
    const world = new TeamWorld(team({ mayAnswer: true }), { boss: [hello] });
    expect(await world.run("hi")).toMatchObject({ kind: "completed", response: "Hello! How can I help?", results: [] });
    expect(world.trace).toMatchObject([{ type: "routing.answered", reasoning: "A greeting." }]);
  });

  it("does so in JSON too", async () => {
    const text = JSON.stringify({ tool: "respond", response: "Hello!" });
    const world = new TeamWorld(team({ mayAnswer: true }), { boss: [refusingTools, text] });
    expect(await world.run("hi")).toMatchObject({ kind: "completed", response: "Hello!" });
  });

  it("has no such tool in a team that doesn't say so", async () => {
    const world = new TeamWorld(team(), { boss: [hello, routeTo("billing")], billing: ["Done."] });
    expect(await world.run("hi")).toMatchObject({ kind: "completed", response: "Done." });
    expect(world.sentTo("boss")[0]?.tools?.map(({ name }) => name)).toEqual(["route_to"]);
  });
});

describe("a failure of the supervisor", () => {
  it("that called tools once too often says that its rounds are over, not that JSON is missing", async () => {
    const again = { name: "find_order", args: {} };
    const world = new TeamWorld(team({ tools: ["shop/find_order"], maxToolRetries: 1 }), { boss: [again] });
    const outcome = await world.run("Where is it?");

    expect(outcome).toMatchObject({
      kind: "failed",
      detail: expect.stringContaining("it called find_order once more"),
    });
    expect(world.prompt("boss", 2)).toContain("after its last round with tools (maxToolRetries: 1)");
  });
});

describe("a worker's model that refuses the key", () => {
  it.each([401, 403])("with %i isn't called again", async (status) => {
    const refused = new ModelError("unauthorized", `the provider answered ${status}`, { status });
    const world = new TeamWorld(team(), {
      boss: [routeTo("billing"), routeTo("shipping")],
      billing: [refused],
      shipping: ["Done."],
    });
    expect(await world.run("Hello.")).toMatchObject({ kind: "completed", response: "Done." });
    expect(world.sentTo("billing")).toHaveLength(1);
  });
});

describe("the aggregator `last`", () => {
  it("gives what those made of it who worked last, all of them", async () => {
    const both = {
      name: "route_to",
      args: { targetAgents: ["billing", "shipping"], reasoning: "both", confidence: 1 },
    };
    const replies = { boss: [both], billing: ["one"], shipping: ["two"] };
    const world = new TeamWorld(team({}, { aggregator: { mode: "last" } }), replies);
    expect(await world.run("Hello.")).toMatchObject({ kind: "completed", response: "one\n\ntwo" });
  });
});
