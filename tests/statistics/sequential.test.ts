/** The test that may be looked at after every event. */
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/statistics/random.js";
import { evidenceOf, logEvidence } from "../../src/statistics/sequential.js";

const bar = Math.log(20);

/** Looks after every bad unit; the number of units after which the bar was passed, if it was. */
function unitsUntil(rates: readonly number[], shares: readonly number[], most: number, random: () => number) {
  const counts = rates.map(() => 0);
  for (let unit = 1; unit <= most; unit++) {
    const drawn = random();
    const arm = Math.max(
      0,
      shares.findIndex((_share, at) => drawn < shares.slice(0, at + 1).reduce((sum, share) => sum + share, 0)),
    );
    if (random() >= (rates[arm] ?? 0)) continue;
    counts[arm] = (counts[arm] ?? 0) + 1;
    if (logEvidence(counts, shares) >= bar) return unit;
  }
  return undefined;
}

describe("looked at after every event", () => {
  it("it finds no difference where there is none, in all but one experiment of twenty", () => {
    const random = seededRandom("alike");
    const found = Array.from({ length: 400 }, () => unitsUntil([0.1, 0.1], [0.5, 0.5], 2_000, random));
    expect(found.filter((units) => units !== undefined).length / 400).toBeLessThan(0.05);
  });

  it("it sees that twice as many fail within some hundred units", () => {
    const random = seededRandom("twice");
    const found = Array.from({ length: 100 }, () => unitsUntil([0.05, 0.1], [0.5, 0.5], 20_000, random) ?? 20_000);
    const median = found.toSorted((a, b) => a - b)[50];
    expect(median).toBeGreaterThan(400);
    expect(median).toBeLessThan(1_600);
  });
});

it("a split of five to five and a half thousand speaks against halves", () => {
  expect(evidenceOf(logEvidence([5_000, 5_500], [0.5, 0.5]))).toBeGreaterThan(1_000);
  expect(evidenceOf(logEvidence([5_000, 5_020], [0.5, 0.5]))).toBeLessThan(1);
  expect(logEvidence([0, 1], [1, 0])).toBe(Number.POSITIVE_INFINITY);
});
