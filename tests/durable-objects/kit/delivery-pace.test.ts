/** When what ended work left goes off: behind the answer, and of works that follow each other at once together. */
import { expect, it, vi } from "vitest";
import { DeliveryPace } from "../../../durable-objects/kit/delivery-pace.js";

interface World {
  readonly pace: DeliveryPace;
  readonly deliveredAt: number[];
  isBusy: boolean;
}

/** Runs a test on timers and a clock of its own, in one synchronous section: no object that other tests left at work comes in between. */
function withPace(test: (world: World) => void): () => void {
  return () => {
    vi.useFakeTimers({ now: 0 });
    try {
      const deliveredAt: number[] = [];
      const ports = {
        now: () => Date.now(),
        isBusy: () => world.isBusy,
        deliver: () => void deliveredAt.push(Date.now()),
      };
      const world: World = { pace: new DeliveryPace(ports), deliveredAt, isBusy: false };
      test(world);
    } finally {
      // First: a watched timer that is given back later would be the false one, to whatever test comes then.
      vi.restoreAllMocks();
      vi.useRealTimers();
    }
  };
}

it(
  "delivers what work left after the section in which it ended, not in it",
  withPace(({ pace, deliveredAt }) => {
    pace.workEnded();
    expect(deliveredAt).toEqual([]);
    vi.advanceTimersByTime(0);
    expect(deliveredAt).toEqual([0]);
  }),
);

it(
  "delivers what works leave that follow each other at once together, when the object is at rest",
  withPace(({ pace, deliveredAt }) => {
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
  }),
);

it(
  "delivers every three seconds at least while there is always more to do",
  withPace((world) => {
    const { pace, deliveredAt } = world;
    world.isBusy = true;
    for (let at = 0; at < 9_000; at += 10) {
      pace.workEnded();
      vi.advanceTimersByTime(10);
    }
    expect(deliveredAt.length).toBeGreaterThanOrEqual(3);
    expect(deliveredAt.length).toBeLessThanOrEqual(4);
  }),
);

it(
  "looks half a second after the last work, not once for each of them",
  withPace(({ pace, deliveredAt }) => {
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
  }),
);

it(
  "is at rest half a second after work that was waited for",
  withPace((world) => {
    const { pace, deliveredAt } = world;
    pace.workEnded();
    vi.advanceTimersByTime(100);
    world.isBusy = true;
    pace.workEnded();
    vi.advanceTimersByTime(1_000);
    world.isBusy = false;
    pace.workEnded();
    vi.advanceTimersByTime(499);
    expect(deliveredAt).toEqual([0]);
    vi.advanceTimersByTime(1);
    expect(deliveredAt).toEqual([0, 1_600]);
  }),
);

it(
  "waits no longer than three seconds for work that is being done",
  withPace((world) => {
    const { pace, deliveredAt } = world;
    pace.workEnded();
    vi.advanceTimersByTime(100);
    pace.workEnded();
    world.isBusy = true;
    vi.advanceTimersByTime(10_000);
    expect(deliveredAt).toEqual([0, 3_000]);
  }),
);

it(
  "has nothing left to do where somebody else has delivered",
  withPace(({ pace, deliveredAt }) => {
    pace.workEnded();
    pace.stop();
    vi.advanceTimersByTime(10_000);
    expect(deliveredAt).toEqual([]);
  }),
);

it(
  "isn't slowed by what others have delivered",
  withPace(({ pace, deliveredAt }) => {
    pace.stop();
    pace.workEnded();
    vi.advanceTimersByTime(0);
    expect(deliveredAt).toEqual([0]);
  }),
);

it(
  "delivers though the clock was set back",
  withPace(({ pace, deliveredAt }) => {
    vi.setSystemTime(100_000);
    pace.workEnded();
    vi.advanceTimersByTime(10);
    pace.workEnded();
    vi.setSystemTime(40_000);
    vi.advanceTimersByTime(500);
    expect(deliveredAt).toEqual([100_000, 40_500]);
  }),
);
