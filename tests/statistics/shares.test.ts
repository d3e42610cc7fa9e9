/** What reports say of shares and differences, against figures that were worked out elsewhere. */
import { describe, expect, it } from "vitest";
import { hash32, sampleOf, seededRandom } from "../../src/statistics/random.js";
import { bootstrapMean, holm, pairedTest, percentile, shareOf } from "../../src/statistics/shares.js";

it("a share has Wilson's interval, and none under twenty", () => {
  expect(shareOf(80, 125)).toEqual({ share: 0.64, low: 0.553, high: 0.719 });
  expect(shareOf(80, 100)).toEqual({ share: 0.8, low: 0.711, high: 0.867 });
  expect(shareOf(45, 900)).toEqual({ share: 0.05, low: 0.038, high: 0.066 });
  expect(shareOf(0, 20)).toEqual({ share: 0, low: 0, high: 0.161 });
  expect(shareOf(20, 20)?.high).toBe(1);
  expect(shareOf(19, 19)).toBeUndefined();
});

describe("candidates on the same items", () => {
  it("are told apart by the items that one alone got right", () => {
    // statsmodels: mcnemar(exact) minus half of the observed table's probability on both sides.
    expect(pairedTest(20, 10)).toBeCloseTo(0.0709, 3);
    expect(pairedTest(10, 20)).toBeCloseTo(0.0709, 3);
    expect(pairedTest(0, 6)).toBeCloseTo(0.015625, 6);
    expect(pairedTest(5, 5)).toBe(1);
    expect(pairedTest(0, 0)).toBe(1);
    expect(pairedTest(3_000, 3_200)).toBeCloseTo(0.0111, 3);
  });

  it("have a difference with an interval over groups, the same for the same seed", () => {
    const groups = Array.from({ length: 40 }, (_none, at) => ({ sum: at % 4 === 0 ? 2 : 0, count: 2 }));
    const interval = bootstrapMean(groups, "evl_1");
    expect(interval).toEqual(bootstrapMean(groups, "evl_1"));
    expect(interval?.low).toBeGreaterThan(0.1);
    expect(interval?.high).toBeLessThan(0.45);
    expect(bootstrapMean(groups.slice(0, 19), "evl_1")).toBeUndefined();
  });

  it("of very many groups are as far apart as draws would have them, without drawing", () => {
    const groups = Array.from({ length: 2_001 }, (_none, at) => ({ sum: at % 8 === 0 ? 1 : 0, count: 1 + (at % 2) }));
    const drawn = bootstrapMean(groups.slice(0, 2_000), "evl_1");
    const reckoned = bootstrapMean(groups, "evl_1");
    expect(Math.abs((reckoned?.low ?? 0) - (drawn?.low ?? 1))).toBeLessThan(0.003);
    expect(Math.abs((reckoned?.high ?? 0) - (drawn?.high ?? 1))).toBeLessThan(0.003);
  });
});

it("several tests at once are raised as Holm says, and never fall below the one before", () => {
  expect(holm([0.01, 0.04, 0.03])).toEqual([0.03, 0.06, 0.06]);
  expect(holm([0.5, 0.9])).toEqual([1, 1]);
});

it("percentiles are values that were seen", () => {
  const sorted = Array.from({ length: 200 }, (_none, at) => at + 1);
  expect(percentile(sorted, 0.5)).toBe(101);
  expect(percentile(sorted, 0.95)).toBe(191);
  expect(percentile([], 0.5)).toBeUndefined();
});

it("buckets of subjects are even, and another seed draws others", () => {
  const buckets = Array.from({ length: 100 }, () => 0);
  let same = 0;
  for (let at = 0; at < 100_000; at++) {
    const bucket = hash32(`one customer-${at}`) % 100;
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    if (bucket < 50 === hash32(`two customer-${at}`) % 100 < 50) same++;
  }
  const chiSquare = buckets.reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0);
  // 99 degrees of freedom: above 149 once in a thousand.
  expect(chiSquare).toBeLessThan(149);
  expect(Math.abs(same / 100_000 - 0.5)).toBeLessThan(0.01);
});

it("a sample has the size wanted, in order, and is drawn alike again", () => {
  const items = Array.from({ length: 1_000 }, (_none, at) => at);
  const drawn = sampleOf(items, 50, seededRandom("s"));
  expect(drawn).toHaveLength(50);
  expect(drawn).toEqual(drawn.toSorted((a, b) => a - b));
  expect(drawn).toEqual(sampleOf(items, 50, seededRandom("s")));
  expect(sampleOf(items, 2_000, seededRandom("s"))).toHaveLength(1_000);
});
