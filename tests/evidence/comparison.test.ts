/** The one comparison: its figures, and when it says that there is not enough. */
import { describe, expect, it } from "vitest";
import { compare } from "../../src/evidence/comparison.js";
import { comparisonText } from "../../src/evidence/comparison-text.js";
import type { ItemResult } from "../../src/evidence/evaluation.js";

const many = (count: number, make: (at: number) => ItemResult): ItemResult[] =>
  Array.from({ length: count }, (_none, at) => make(at));

const said = (
  itemId: string,
  candidate: string,
  expected: "allow" | "block",
  action: "allow" | "block",
  more: Partial<ItemResult> = {},
): ItemResult => ({
  ...{ itemId, candidate, repeat: 0, expected: { action: expected }, correct: expected === action },
  ...{ result: { action, latencyMs: 10 } },
  ...more,
});

describe("of a judge that catches 80 of 100 and stops 45 of 900", () => {
  const results = [
    ...many(100, (at) => said(`bad-${at}`, "judge", "block", at < 80 ? "block" : "allow")),
    ...many(900, (at) => said(`good-${at}`, "judge", "allow", at < 45 ? "block" : "allow")),
  ];
  const [report] = compare(results, ["judge"], "evl_1").candidates;

  it("precision, recall and false alarms have their intervals", () => {
    expect(report?.precision).toEqual({ share: 0.64, low: 0.553, high: 0.719 });
    expect(report?.recall).toEqual({ share: 0.8, low: 0.711, high: 0.867 });
    expect(report?.falseAlarms).toEqual({ share: 0.05, low: 0.038, high: 0.066 });
    expect(report?.latencyMs).toEqual({ median: 10, p95: 10 });
  });

  it("a failure counts for nothing", () => {
    const failed = many(50, (at) =>
      said(`more-${at}`, "judge", "block", "allow", { result: { action: "allow", latencyMs: 1, failed: "no answer" } }),
    );
    const [withFailures] = compare([...results, ...failed], ["judge"], "evl_1").candidates;
    expect(withFailures).toMatchObject({ failed: 50, recall: report?.recall });
  });

  it("is written the same to the byte", () => {
    const text = () => comparisonText(compare(results, ["judge"], "evl_1"), "texts");
    expect(text()).toBe(text());
    expect(text()).toContain("| judge | 1000 of 1000 | 0.64 [0.553, 0.719] |");
  });
});

describe("of two candidates", () => {
  const against = (better: number, worse: number, same: number, group?: (at: number) => string) =>
    ["now", "next"].flatMap((candidate) =>
      many(better + worse + same, (at) => {
        const isRight = at < better ? candidate === "next" : at < better + worse ? candidate === "now" : true;
        const more = group === undefined ? {} : { group: group(at) };
        return said(`item-${at}`, candidate, "allow", isRight ? "allow" : "block", more);
      }),
    );

  it("the better one is named with how much, and the other way round", () => {
    const [pair] = compare(against(40, 5, 955), ["now", "next"], "evl_1").pairs;
    expect(pair).toMatchObject({ onlyCandidate: 40, onlyAgainst: 5, difference: 0.035, verdict: "better" });
    expect(pair?.summary).toMatch(/^next is better than now by 3\.5 points \[/);
    expect(compare(against(5, 40, 955), ["now", "next"], "evl_1").pairs[0]?.verdict).toBe("worse");
  });

  it("where the interval holds 0 it says about how many more would show a difference", () => {
    const [pair] = compare(against(12, 8, 480), ["now", "next"], "evl_1").pairs;
    expect(pair).toMatchObject({
      verdict: "no_difference",
      summary: expect.stringMatching(/^No difference seen\. About \d+ items more/),
    });
    expect(compare(against(0, 0, 100), ["now", "next"], "evl_1").pairs[0]?.summary).toBe("No difference seen.");
  });

  it("few conversations are not enough, however many items they have", () => {
    const [pair] = compare(
      against(40, 5, 955, (at) => `ses_${at % 10}`),
      ["now", "next"],
      "evl_1",
    ).pairs;
    expect(pair?.verdict).toBe("not_enough");
  });

  it("a share of samples counts with what each stands for", () => {
    const results = [
      ...many(20, (at) => said(`held-${at}`, "now", "block", "block", { weight: 1 })),
      ...many(20, (at) => said(`passed-${at}`, "now", "block", at < 10 ? "block" : "allow", { weight: 9 })),
    ];
    const [report] = compare(results, ["now"], "evl_1").candidates;
    expect(report?.recall?.share).toBe(0.75);
    expect(report?.weighted?.recall?.share).toBe(0.55);
  });

  it("said again differently is a flip", () => {
    const results = many(40, (at) =>
      said(`item-${at >> 1}`, "now", "allow", at === 1 ? "block" : "allow", { repeat: at % 2 }),
    );
    expect(compare(results, ["now"], "evl_1").candidates[0]?.flips?.share).toBe(0.05);
  });
});
