/** Strategies over plain data: what each decides, and that they are known by name in one place. */

import { describe, expect, it } from "vitest";
import type { RoutingInput } from "../../src/routing/routing-input.js";
import type { StrategyPorts, SupervisorDecision } from "../../src/routing/strategies/strategy.js";
import { type StrategyName, strategyNamed, strategyNames } from "../../src/routing/strategies/table.js";
import { teamSchema, tracksLoad } from "../../src/routing/team.js";
import { prepareExamples } from "../../src/text/example-classifier.js";

const live = ["a", "b"].map((id) => ({ id, description: id, skills: id === "b" ? ["invoices"] : [], tools: [] }));
const input: RoutingInput = { input: "Invoices?", metadata: {}, live, results: [], clarifications: [], iteration: 0 };
const decided: SupervisorDecision = {
  outcome: { kind: "route", choice: { targets: ["b"], reasoning: "it says so", confidence: 0.7 } },
  clarifications: [],
  problems: ["an earlier answer"],
};

const ports: StrategyPorts = {
  settings: { rules: [{ when: { contains: ["invoice"] }, to: "b", confidence: 1 }] },
  known: ["a", "b", "away"],
  teamKey: "desk",
  state: {
    nextTurn: async (team, claim) => (team === "desk" && claim === "run/s0" ? 3 : 0),
    claimLeastBusy: async (_team, workers, { id }) => ({ worker: workers.at(id === "w0" ? 1 : 0) ?? "", load: 2 }),
    claim: async () => {},
    release: async () => {},
    loads: async () => ({}),
  },
  examples: () =>
    prepareExamples([
      { label: "a", text: "a parcel" },
      { label: "b", text: "invoices, please" },
    ]),
  decisionId: "run/s0",
  claim: { work: "run", id: "w0" },
  askSupervisor: async () => decided,
};

const teamOf = (strategy: string, rules: readonly object[] = []) =>
  teamSchema.safeParse({
    supervisor: { strategy, rules },
    workers: [{ id: "a", description: "a" }],
  });

describe("the strategies", () => {
  it("are those that teams may name", () => {
    for (const name of strategyNames) expect(teamOf(name, [{ to: "a" }]).success, name).toBe(true);
    expect(teamOf("by-mood").error?.issues[0]?.path).toEqual(["supervisor", "strategy"]);
  });

  it.each([
    ["rule-based", "Rule 1 applies."],
    ["skill-based", "Matches invoices (score 2)."],
    ["example-based", expect.stringContaining("the examples of b")],
    ["round-robin", "Turn 4 of the team."],
    ["load-balanced", "The least busy, with 2 other tasks."],
  ] satisfies [StrategyName, unknown][])(
    "%s decides by its input and the team's state, in one step",
    async (name, why) => {
      const strategy = strategyNamed(name);
      expect(strategy.execution).toBe("step");
      expect(await strategy.decide(input, ports)).toMatchObject({
        kind: "route",
        choice: { targets: ["b"], reasoning: why },
      });
    },
  );

  it("llm-based asks the team's supervisor, which journals its own steps", async () => {
    const strategy = strategyNamed("llm-based");
    expect(strategy.execution).toBe("durable");
    expect(await strategy.decide(input, ports)).toEqual(decided);
  });

  it("says itself when a team's settings don't suffice", () => {
    const issue = teamOf("rule-based").error?.issues[0];
    expect([issue?.path, issue?.message]).toEqual([["supervisor", "rules"], "the rule-based strategy needs rules"]);
  });

  it("has the load counted only of teams that go by it", () => {
    const counted = strategyNames.filter((name) => tracksLoad(teamSchema.parse(teamOf(name, [{ to: "a" }]).data)));
    expect(counted).toEqual(["load-balanced"]);
  });
});
