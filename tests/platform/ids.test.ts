/** Ids: nobody can guess them, none comes twice, and they sort by time. */
import { expect, it } from "vitest";
import { newId, randomFractions } from "../../src/platform/ids.js";

it("thousands made at once differ, and each sorts behind the one before", () => {
  const ids = Array.from({ length: 3_000 }, () => newId("msg"));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
});

it("what they are made of is fresh random fractions, however many are drawn", () => {
  const draw = randomFractions();
  const drawn = Array.from({ length: 4_096 }, draw);
  expect(drawn.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
  // Of 32 characters each comes 128 times, give or take.
  const counts = Map.groupBy(drawn, (fraction) => Math.floor(fraction * 32));
  for (let character = 0; character < 32; character++) expect(counts.get(character)?.length ?? 0).toBeGreaterThan(60);
  // What was drawn first isn't drawn again.
  expect(drawn.slice(512, 1_024)).not.toEqual(drawn.slice(0, 512));
  expect(Array.from({ length: 16 }, randomFractions())).not.toEqual(drawn.slice(0, 16));
});
