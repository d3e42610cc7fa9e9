import { describe, expect, it } from "vitest";
import { nothingSpent } from "../../src/agent/budget.js";
import { TeamBudget } from "../../src/routing/budget.js";
import { teamLimitsSchema } from "../../src/routing/team.js";

const limits = teamLimitsSchema.parse({ maxModelCalls: 9, maxTokens: 1_000, maxActiveMs: 500 });

describe("a run's budget", () => {
  it("counts what branches spend once they have joined; time that passed at once counts once", () => {
    const budget = new TeamBudget(limits);
    budget.spend({ ...nothingSpent, modelCalls: 1 });
    const [one, other] = budget.split(2);
    one?.spend({ modelCalls: 2, inputTokens: 100, outputTokens: 10, activeMs: 300 });
    other?.spend({ modelCalls: 1, inputTokens: 50, outputTokens: 5, activeMs: 200 });
    budget.join([one, other].filter((branch) => branch !== undefined));
    expect(budget.spent).toEqual({ modelCalls: 4, inputTokens: 150, outputTokens: 15, activeMs: 300 });
    expect(budget.timeLeftMs).toBe(200);
  });

  it("says which part of it is used up", () => {
    for (const [spent, why] of [
      [{ modelCalls: 9 }, "9 model calls"],
      [{ inputTokens: 600, outputTokens: 400 }, "1000 tokens"],
      [{ activeMs: 500 }, "500 ms"],
    ] as const) {
      const budget = new TeamBudget(limits);
      expect(budget.exhausted()).toBeUndefined();
      budget.spend({ ...nothingSpent, ...spent });
      expect(budget.exhausted()).toBe(`the run's budget of ${why} is used up`);
    }
  });

  it("always pays for an agent's last round, in which it has to decide", () => {
    const budget = new TeamBudget(limits);
    expect(budget.agentLimits(50).maxToolRounds).toBe(8);
    budget.spend({ ...nothingSpent, modelCalls: 8 });
    expect(budget.agentLimits(50).maxToolRounds).toBe(0);
  });
});
