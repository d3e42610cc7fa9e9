/** A shadow beside the supervisor in force: which of their steps are of the same text, and what the table says. */
import { expect, it } from "vitest";
import { compare } from "../../src/evidence/comparison.js";
import { comparisonText } from "../../src/evidence/comparison-text.js";
import { labelOf, shadowPairs } from "../../src/evidence/shadow-pairs.js";
import type { Action } from "../../src/supervision/verdict.js";
import type { AuditEntry } from "../../src/tenancy/audit.js";

const supervisor = { name: "next", version: 2 };
const other = { name: "now", version: 7 };

const step = (name: string, version: number, action: Action, more = {}) => ({
  ...{ supervisor: name, version, action, reasons: [], beforeHash: "h", afterHash: "h", latencyMs: 1 },
  mode: "enforce" as const,
  ...more,
});
const pass = (n: number, steps: AuditEntry["steps"], more: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ at: new Date(n).toISOString(), type: "supervision", sessionId: `ses_${n}`, workId: `turn_${n}` },
  ...{ hook: "request", decision: "allow", subject: {}, reasons: [], steps },
  ...more,
});
const pairsOf = (entries: readonly AuditEntry[], hook?: string) => shadowPairs(entries, { supervisor, other, hook });
const tableOf = (entries: readonly AuditEntry[]) =>
  compare(pairsOf(entries).results, [labelOf(other), labelOf(supervisor)], "seed").pairs[0];

it("200 texts, of which they decide 30 otherwise: the table to the number, and what it says", () => {
  const said = (at: number): readonly [Action, Action] => {
    if (at < 22) return ["block", "allow"];
    if (at < 26) return ["allow", "block"];
    if (at < 30) return ["modify", "review"];
    return at < 50 ? ["block", "block"] : ["allow", "allow"];
  };
  const entries = Array.from({ length: 200 }, (_none, at) => {
    const [now, next] = said(at);
    const shadow = step("next", 2, next, { mode: "shadow" });
    // One that asks somebody comes in a row of its own, beside the turn.
    return at % 2 === 0
      ? [pass(at, [step("now", 7, now), shadow])]
      : [pass(at, [step("now", 7, now)]), pass(at, [shadow])];
  }).flat();
  const pair = tableOf(entries);
  expect(pair).toMatchObject({
    ...{ items: 200, onlyCandidate: 4, onlyAgainst: 22, difference: -0.09, of: "stopped", verdict: "stops_less" },
    agreement: { share: 0.85, low: 0.794, high: 0.893 },
    actions: {
      allow: { allow: 150, modify: 0, review: 0, block: 4 },
      modify: { allow: 0, modify: 0, review: 4, block: 0 },
      block: { allow: 22, modify: 0, review: 0, block: 20 },
    },
  });
  const { disagreements, unpaired } = pairsOf(entries);
  expect(unpaired).toMatchObject({ supervisor: 0, with: 0 });
  expect(disagreements).toHaveLength(30);
  expect(disagreements[0]).toMatchObject({
    sessionId: "ses_0",
    workId: "turn_0",
    action: "allow",
    withAction: "block",
  });
  const text = () => comparisonText(compare(pairsOf(entries).results, ["now@7", "next@2"], "seed"), "beside");
  expect(text()).toContain("| block | 22 | 0 | 0 | 20 |");
  expect(text()).toContain("next@2 stops or changes less than now@7, by 9.0 points");
  expect(text()).toBe(text());
});

it("another text, another session, hook or version, and who wasn't asked make no pair", () => {
  const entries = [
    pass(1, [step("now", 7, "block"), step("next", 2, "allow", { beforeHash: "made of it" })]),
    pass(2, [step("now", 7, "block")]),
    pass(3, [step("next", 2, "allow")]),
    pass(4, [step("now", 6, "block"), step("next", 2, "allow")]),
    pass(5, [step("now", 7, "block"), step("next", 2, "allow", { skipped: "its sample" })]),
    pass(6, [step("now", 7, "block")], { hook: "response" }),
    pass(6, [step("next", 2, "allow")]),
  ];
  const { results, unpaired } = pairsOf(entries);
  expect(results).toEqual([]);
  expect(unpaired).toMatchObject({ with: 4, supervisor: 4 });
  expect(pairsOf(entries, "response").unpaired).toMatchObject({ with: 1, supervisor: 0 });
});

it("a failure is no judgement, and few texts are not enough", () => {
  const failed = Array.from({ length: 5 }, (_none, at) =>
    pass(at, [step("now", 7, "block"), step("next", 2, "block", { failed: "no answer" })]),
  );
  expect(tableOf(failed)).toMatchObject({ items: 0, actions: {}, verdict: "not_enough" });
  expect(pairsOf(failed).disagreements).toEqual([]);
});
