/** When what ended work left goes off: behind the answer, and of works that follow each other at once together. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DeliveryPace } from "../../../durable-objects/kit/delivery-pace.js";

let isBusy: boolean;
let deliveredAt: number[];
let pace: DeliveryPace;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  isBusy = false;
  deliveredAt = [];
  pace = new DeliveryPace({
    now: () => Date.now(),
    isBusy: () => isBusy,
    deliver: () => {
      deliveredAt.push(Date.now());
      pace.delivered();
    },
  });
});

afterEach(() => {
  vi.useRealTimers();
});

it("delivers what work left behind the stretch in which it ended, not in it", () => {
  pace.workEnded();
  expect(deliveredAt).toEqual([]);
  vi.advanceTimersByTime(0);
  expect(deliveredAt).toEqual([0]);
});

it("delivers what works leave that follow each other at once together, when the object is at rest", () => {
  pace.workEnded();
  vi.advanceTimersByTime(10);
  for (let work = 0; work < 5; work++) {
    pace.workEnded();
    vi.advanceTimersByTime(10);
  }
  expect(deliveredAt).toEqual([0]);
  vi.advanceTimersByTime(20);
  expect(deliveredAt).toEqual([0, 70]);
});

it("delivers every three seconds at least while there is always more to do", () => {
  isBusy = true;
  for (let at = 0; at < 9_000; at += 10) {
    pace.workEnded();
    vi.advanceTimersByTime(10);
  }
  expect(deliveredAt.length).toBeGreaterThanOrEqual(3);
  expect(deliveredAt.length).toBeLessThanOrEqual(4);
});

it("waits no longer than three seconds for work that is being done", () => {
  pace.workEnded();
  vi.advanceTimersByTime(100);
  pace.workEnded();
  isBusy = true;
  vi.advanceTimersByTime(10_000);
  expect(deliveredAt).toEqual([0, 3_000]);
});

it("has nothing left to do where somebody else has delivered", () => {
  pace.workEnded();
  pace.delivered();
  vi.advanceTimersByTime(10_000);
  expect(deliveredAt).toEqual([]);
});
