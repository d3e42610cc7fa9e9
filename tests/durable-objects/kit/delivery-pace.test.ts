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
    deliver: () => void deliveredAt.push(Date.now()),
  });
});

afterEach(() => {
  // First: a watched timer that is given back later would be the false one, to whatever test comes then.
  vi.restoreAllMocks();
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
  vi.advanceTimersByTime(480);
  expect(deliveredAt).toEqual([0]);
  vi.advanceTimersByTime(10);
  expect(deliveredAt).toEqual([0, 550]);
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

it("looks half a second after the last work, not once for each of them", () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  pace.workEnded();
  vi.advanceTimersByTime(10);
  for (let work = 0; work < 40; work++) {
    pace.workEnded();
    vi.advanceTimersByTime(10);
  }
  vi.advanceTimersByTime(1_000);
  expect(deliveredAt).toEqual([0, 900]);
  expect(timers.mock.calls.length).toBeLessThanOrEqual(4);
});

it("is at rest half a second after work that was waited for", () => {
  pace.workEnded();
  vi.advanceTimersByTime(100);
  isBusy = true;
  pace.workEnded();
  vi.advanceTimersByTime(1_000);
  isBusy = false;
  pace.workEnded();
  vi.advanceTimersByTime(499);
  expect(deliveredAt).toEqual([0]);
  vi.advanceTimersByTime(1);
  expect(deliveredAt).toEqual([0, 1_600]);
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
  pace.stop();
  vi.advanceTimersByTime(10_000);
  expect(deliveredAt).toEqual([]);
});

it("isn't slowed by what others have delivered", () => {
  pace.stop();
  pace.workEnded();
  vi.advanceTimersByTime(0);
  expect(deliveredAt).toEqual([0]);
});

it("delivers though the clock was set back", () => {
  vi.setSystemTime(100_000);
  pace.workEnded();
  vi.advanceTimersByTime(10);
  pace.workEnded();
  vi.setSystemTime(40_000);
  vi.advanceTimersByTime(500);
  expect(deliveredAt).toEqual([100_000, 40_500]);
});
