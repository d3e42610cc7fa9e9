import { expect, test } from "vitest";
import { countCall, leaseFor, leftOf, shardCount, shardOf } from "../../../src/tenancy/limits/leases.js";
import { emptyCounter } from "../../../src/tenancy/limits/room.js";

test("a lease is what is needed or a twentieth of what is left, and never more than there is", () => {
  const demand = { amount: 10, max: 1_000, isEnforced: true };
  expect(leaseFor(demand, emptyCounter)).toBe(50);
  expect(leaseFor(demand, { ...emptyCounter, used: 700, reserved: 200 })).toBe(10);
  expect(leaseFor(demand, { ...emptyCounter, used: 991 })).toBeUndefined();
  // What is only observed lets everything through.
  expect(leaseFor({ ...demand, isEnforced: false }, { ...emptyCounter, used: 5_000 })).toBe(10);
  let counter = emptyCounter;
  for (let lease = leaseFor(demand, counter); lease !== undefined; lease = leaseFor(demand, counter))
    counter = { ...counter, reserved: counter.reserved + lease };
  expect(counter.reserved).toBeLessThanOrEqual(1_000);
  expect(counter.reserved).toBeGreaterThan(990);
});

test("what is left of a lease ends with it", () => {
  const lease = { leased: 50, until: 1_000 };
  expect(leftOf(lease, { used: 10, reserved: 15 }, 999)).toBe(25);
  expect(leftOf(lease, { used: 10, reserved: 15 }, 1_000)).toBe(0);
  // Work that took more than it had reserved.
  expect(leftOf(lease, { used: 60, reserved: 0 }, 0)).toBe(0);
});

test("calls are counted by the second", () => {
  const rate = [1_000, 1_500, 1_999].reduce(countCall, { second: 0, calls: 0 });
  expect(rate).toEqual({ second: 1, calls: 3 });
  expect(countCall(rate, 2_000)).toEqual({ second: 2, calls: 1 });
});

test("everybody has one shard, and all shards have somebody", () => {
  const shards = Array.from({ length: 2_000 }, (_, at) => shardOf(`ses_${at}`));
  expect(shardOf("ses_7")).toBe(shards[7]);
  const sizes = [...Map.groupBy(shards, (shard) => shard).values()].map(({ length }) => length);
  expect(sizes).toHaveLength(shardCount);
  expect(Math.max(...sizes)).toBeLessThan(2 * Math.min(...sizes));
});
