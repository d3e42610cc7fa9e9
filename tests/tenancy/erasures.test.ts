import { expect, it } from "vitest";
import { type Erasure, erasuresSince } from "../../src/tenancy/erasures.js";

const erased = (itemId: string, at: number): Erasure => ({ kind: "message", rootId: "ses_1", itemId, at });
const minute = 60_000;

it("what was erased since is erased again, each once and the oldest first; clocks may differ by a minute", () => {
  const ledger = [erased("c", 10 * minute), erased("a", 2 * minute), erased("b", 5 * minute), erased("b", 6 * minute)];
  expect(erasuresSince(ledger, 6 * minute).map(({ itemId }) => itemId)).toEqual(["b", "c"]);
  expect(erasuresSince(ledger, 20 * minute)).toEqual([]);
});

it("back to a bookmark, whose time nobody knows, everything counts", () => {
  expect(erasuresSince([erased("a", 0), erased("b", 1)], undefined)).toHaveLength(2);
});
