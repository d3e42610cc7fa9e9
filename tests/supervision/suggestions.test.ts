/** What labels suggest of rules: drawn from one half, held against the other, and the same each time. */
import { expect, it } from "vitest";
import { type LabelledDecision, suggestForRules, withSuggestion } from "../../src/supervision/suggestions.js";

const rules = [{ id: "orders", action: "block" }, { action: "block" }, { id: "cards", action: "block" }];

const decisions = (rule: string, wrong: number, right: number): LabelledDecision[] =>
  Array.from({ length: wrong + right }, (_none, at) => ({
    decisionId: `dec_${rule}_${at}`,
    label: at < wrong ? "wrong" : "right",
    rules: [rule],
  }));

it("a rule that is always wrong is left out, one that is mostly wrong lets a person decide, others stay", () => {
  const labelled = [...decisions("orders", 30, 0), ...decisions("2", 30, 8), ...decisions("cards", 4, 30)];
  const found = suggestForRules(rules, labelled);
  expect(found.map(({ rule, change }) => [rule, change])).toEqual(
    expect.arrayContaining([
      ["orders", "remove"],
      ["2", "review"],
    ]),
  );
  expect(found).toHaveLength(2);
  expect(suggestForRules(rules, labelled.toReversed())).toEqual(found);
  for (const { rule, drawn, held } of found) {
    const of = labelled.filter((one) => one.rules[0] === rule);
    expect(drawn.right + drawn.wrong + held.right + held.wrong).toBe(of.length);
    expect(held.wrong).toBeGreaterThan(5);
  }
  expect(withSuggestion(rules, { rule: "orders", change: "remove" })).toEqual(rules.slice(1));
  expect(withSuggestion(rules, { rule: "2", change: "review" })?.[1]).toEqual({ action: "review" });
  expect(withSuggestion([{ action: "block" }], { rule: "1", change: "remove" })).toBeUndefined();
});

it("nothing is suggested of few labels, and what another rule matched too isn't counted as freed", () => {
  expect(suggestForRules(rules, decisions("orders", 4, 0))).toEqual([]);
  const both = decisions("orders", 40, 0).map((one) => ({ ...one, rules: ["orders", "cards"] }));
  expect(suggestForRules(rules, both).map(({ held }) => held)).toEqual([
    { right: 0, wrong: 0 },
    { right: 0, wrong: 0 },
  ]);
});
