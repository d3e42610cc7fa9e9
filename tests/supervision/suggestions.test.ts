/** What labels suggest of rules: drawn from one half, held against the other, and the same each time. */
import { expect, it } from "vitest";
import {
  type LabelledDecision,
  scoreIn,
  suggestExamples,
  suggestForRules,
  suggestThresholds,
  withSuggestion,
} from "../../src/supervision/suggestions.js";

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

const scored = (category: string, label: "right" | "wrong", scores: readonly number[]) =>
  scores.map((score, at) => ({
    ...{ decisionId: `dec_${category}_${label}_${at}`, label },
    reasons: [`moderation: ${category} (${score.toFixed(2)}, from 0.3 on)`],
  }));
const between = (from: number, to: number, count: number) =>
  Array.from({ length: count }, (_none, at) => from + ((to - from) * at) / (count - 1));

it("a category's threshold is raised above its false alarms, and never above what was rightly stopped", () => {
  const violence = [
    ...scored("violence", "wrong", between(0.3, 0.6, 40)),
    ...scored("violence", "right", between(0.7, 0.99, 40)),
  ];
  const [found, ...others] = suggestThresholds(violence);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ category: "violence", held: { right: 0 } });
  expect(found?.threshold).toBeGreaterThan(0.6);
  expect(found?.threshold).toBeLessThanOrEqual(0.72);
  expect(found?.held.wrong).toBeGreaterThan(10);
  expect(suggestThresholds(violence.toReversed())).toEqual([found]);
  // Nothing was right: just above the highest.
  expect(suggestThresholds(scored("hate", "wrong", between(0.3, 0.99, 30)))[0]?.threshold).toBeGreaterThan(0.9);
  // They can't be told apart, or there are too few, or another category stops them as well.
  const mixed = [...scored("hate", "wrong", between(0.8, 0.99, 30)), ...scored("hate", "right", between(0.3, 0.5, 30))];
  expect(suggestThresholds(mixed)).toEqual([]);
  expect(suggestThresholds(scored("hate", "wrong", [0.3, 0.4]))).toEqual([]);
  const twice = violence.map((one) => ({ ...one, reasons: [...one.reasons, "moderation: hate (0.90, from 0.3 on)"] }));
  expect(suggestThresholds(twice)).toEqual([]);
});

it("a score is read of a moderation's own reasons alone", () => {
  expect(scoreIn("moderation: violence/graphic (0.83)")).toEqual({ category: "violence/graphic", score: 0.83 });
  for (const other of ["moderation: flagged", "no violence (0.9)", "moderation: x (high)", " (", "moderation: ("])
    expect(scoreIn(other)).toBeUndefined();
});

it("texts that people edited become examples of one half, and the other half is left to hold them against", () => {
  const edited = Array.from({ length: 30 }, (_none, at) => ({
    askId: `ask_${at}`,
    before: `Ada ${at}`,
    after: "[name]",
  }));
  const found = suggestExamples("Hide names.", edited);
  expect(found?.instructions).toMatch(/^Hide names\.\n\nWhat people made of texts/);
  expect(found?.drawn).toHaveLength(5);
  expect(found?.held.length).toBeGreaterThan(8);
  for (const { before } of found?.held ?? []) expect(found?.instructions).not.toContain(JSON.stringify(before));
  expect(suggestExamples("Hide names.", edited.toReversed())).toEqual(found);
  expect(suggestExamples("Hide names.", edited.slice(0, 1))).toBeUndefined();
  expect(
    suggestExamples(
      "Hide.",
      edited.map((one) => ({ ...one, before: "long ".repeat(300) })),
    ),
  ).toBeUndefined();
});
