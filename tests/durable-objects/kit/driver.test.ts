import { describe, expect, it, vi } from "vitest";
import { Driver, leaseMs } from "../../../durable-objects/kit/driver.js";
import { Clock, deferred, kitIn, settle, withKitTables } from "./support.js";

function driverOf(step: () => Promise<boolean>) {
  const clock = new Clock();
  const lease = vi.fn<(at: number | undefined) => void>();
  const crashed = vi.fn();
  const background: Promise<unknown>[] = [];
  const driver = new Driver({
    waitUntil: (work) => void background.push(work),
    setLease: lease,
    now: clock.now,
    step,
    crashed,
  });
  return { driver, clock, lease, crashed, background };
}

describe("the driver", () => {
  it("does one piece of work after the other until there is none, under a lease, and gives the lease back", async () => {
    let left = 3;
    const { driver, clock, lease, background } = driverOf(async () => left-- > 0);
    driver.kick();
    expect(lease).toHaveBeenLastCalledWith(clock.at + leaseMs);
    expect(left).toBe(3);
    await Promise.all(background);
    expect(left).toBe(-1);
    expect(lease).toHaveBeenLastCalledWith(undefined);
  });

  it("is one, however often it is kicked", async () => {
    const gate = deferred<boolean>();
    const step = vi.fn(async () => (step.mock.calls.length === 1 ? gate.promise : false));
    const { driver, background } = driverOf(step);
    driver.kick();
    driver.kick();
    await settle();
    driver.kick();
    expect(step).toHaveBeenCalledTimes(1);
    gate.resolve(true);
    await Promise.all(background);
    expect(background).toHaveLength(1);
  });

  it("doesn't lose a kick that comes while it takes its last look", async () => {
    const look = deferred<boolean>();
    let work = 0;
    let done = 0;
    const step = vi.fn(async () => {
      if (step.mock.calls.length === 1) return look.promise;
      if (work === 0) return false;
      work -= 1;
      done += 1;
      return true;
    });
    const { driver, background } = driverOf(step);
    driver.kick();
    await settle();
    // The look has found nothing; before the driver hears of it, work comes.
    look.resolve(false);
    work = 1;
    driver.kick();
    await Promise.all(background);
    expect(done).toBe(1);
  });

  it("keeps its lease when a piece of work blows up, so that the alarm tries again", async () => {
    let broken = true;
    let done = 0;
    const { driver, clock, lease, crashed, background } = driverOf(async () => {
      if (broken) throw new Error("unforeseen");
      done += 1;
      return false;
    });
    driver.kick();
    await Promise.all(background);
    expect(crashed).toHaveBeenCalledTimes(1);
    expect(lease).toHaveBeenLastCalledWith(clock.at + leaseMs);
    broken = false;
    driver.kick();
    await Promise.all(background);
    expect(done).toBe(1);
    expect(lease).toHaveBeenLastCalledWith(undefined);
  });

  it("is replaced by the alarm when it died with its instance, and left alone while it lives", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const steps: string[] = [];
      const never = new Promise<boolean>(() => {});
      const first = kitIn(state, clock, {
        step: () => {
          steps.push("first");
          return never;
        },
      });
      first.kick();
      await settle();
      clock.at += leaseMs;
      first.onAlarm();
      await settle();
      expect(steps).toEqual(["first"]);

      // What an eviction leaves: the storage, and a new instance.
      const second = kitIn(state, clock, {
        step: async () => {
          steps.push("second");
          return false;
        },
      });
      clock.at += leaseMs - 1;
      second.onAlarm();
      await settle();
      expect(steps).toEqual(["first"]);
      clock.at += 1;
      second.onAlarm();
      await second.stopped();
      expect(steps).toEqual(["first", "second"]);
      expect(second.deadlines.due(Number.MAX_SAFE_INTEGER)).toEqual([]);
    }));
});
