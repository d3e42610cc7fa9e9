import { describe, expect, it, vi } from "vitest";
import { Driver, type Lease, leaseMs, type StepOutcome } from "../../../durable-objects/kit/driver.js";
import { Clock, deferred, kitIn, settle, withKitTables } from "./support.js";

function driverOf(step: (lease: Lease) => Promise<StepOutcome>) {
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
  it("does one work after the other until there is none, under a lease, and gives the lease back", async () => {
    let left = 3;
    const { driver, clock, lease, background } = driverOf(async () => (left-- > 0 ? "again" : "idle"));
    driver.kick();
    expect(lease).toHaveBeenLastCalledWith(clock.at + leaseMs);
    expect(left).toBe(3);
    await Promise.all(background);
    expect(left).toBe(-1);
    expect(lease).toHaveBeenLastCalledWith(undefined);
  });

  it("is one, however often it is kicked", async () => {
    const gate = deferred<StepOutcome>();
    const step = vi.fn(async () => (step.mock.calls.length === 1 ? gate.promise : "idle"));
    const { driver, background } = driverOf(step);
    driver.kick();
    driver.kick();
    await settle();
    driver.kick();
    expect(step).toHaveBeenCalledTimes(1);
    gate.resolve("again");
    await Promise.all(background);
    expect(background).toHaveLength(1);
  });

  it("doesn't lose a kick that comes while it takes its last look", async () => {
    const look = deferred<StepOutcome>();
    let work = 0;
    let done = 0;
    const step = vi.fn(async () => {
      if (step.mock.calls.length === 1) return look.promise;
      if (work === 0) return "idle" as const;
      work -= 1;
      done += 1;
      return "again" as const;
    });
    const { driver, background } = driverOf(step);
    driver.kick();
    await settle();
    // The look has found nothing; before the driver hears of it, work comes.
    look.resolve("idle");
    work = 1;
    driver.kick();
    await Promise.all(background);
    expect(done).toBe(1);
  });

  it("keeps its lease when work blows up, so that the alarm tries again", async () => {
    let broken = true;
    let done = 0;
    const { driver, clock, lease, crashed, background } = driverOf(async () => {
      if (broken) throw new Error("unforeseen");
      done += 1;
      return "idle" as const;
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

  it("does a bounded share a kick where the work says so, and says that more is left", async () => {
    let left = 3;
    const { driver, lease, background } = driverOf(async () => (--left > 0 ? "yielded" : "idle"));
    driver.kick();
    expect(await driver.driven()).toBe("yielded");
    expect(left).toBe(2);
    expect(lease).toHaveBeenLastCalledWith(undefined);
    driver.kick();
    driver.kick();
    await Promise.all(background);
    expect(left).toBe(1);
  });

  it("gives whoever waits for it what the work threw", async () => {
    const { driver } = driverOf(async () => {
      throw new Error("unforeseen");
    });
    driver.kick();
    await expect(driver.driven()).rejects.toThrow("unforeseen");
    driver.kick();
    await expect(driver.stopped()).resolves.toBeUndefined();
    expect(await driver.driven()).toBe("idle");
  });

  it("writes nothing more of an object that was emptied", async () => {
    const { driver, lease, background } = driverOf(async () => "gone");
    driver.kick();
    lease.mockClear();
    await Promise.all(background);
    expect(lease).not.toHaveBeenCalled();
  });

  it("takes the lease from a step that is cancelled, and from one that is over", async () => {
    const leases: Lease[] = [];
    const gate = deferred<StepOutcome>();
    const { driver, background } = driverOf(async (lease) => {
      leases.push(lease);
      return leases.length === 1 ? gate.promise : "idle";
    });
    driver.kick();
    await settle();
    expect(leases[0]?.isHeld()).toBe(true);
    driver.cancel();
    expect([leases[0]?.isHeld(), leases[0]?.signal.aborted]).toEqual([false, true]);
    gate.resolve("again");
    await Promise.all(background);
    expect([leases[1]?.isHeld(), leases[1]?.signal.aborted]).toEqual([false, false]);
  });

  it("is replaced by the alarm when it died with its instance, and left alone while it lives", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const steps: string[] = [];
      const never = new Promise<StepOutcome>(() => {});
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
          return "idle" as const;
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
      expect(second.deadlines.passed(Number.MAX_SAFE_INTEGER)).toEqual([]);
    }));

  it("that died is replaced when its object wakes up with work left; in between its lease is the alarm and no row", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const never = new Promise<StepOutcome>(() => {});
      const first = kitIn(state, clock, { active: () => true, step: () => never });
      first.kick();
      await settle();
      expect(await state.storage.getAlarm()).toBe(clock.at + leaseMs);
      expect(state.storage.sql.exec("SELECT 1 FROM deadlines").toArray()).toEqual([]);

      const steps: string[] = [];
      let left = true;
      const step = async (): Promise<StepOutcome> => {
        steps.push("second");
        left = false;
        return "idle";
      };
      const second = kitIn(state, clock, { active: () => left, step });
      second.resume();
      second.onAlarm();
      await second.stopped();
      expect(steps).toEqual(["second"]);
      // The alarm that stood for it rings once more and finds nothing.
      second.onAlarm();
      expect(steps).toEqual(["second"]);
      expect(await state.storage.getAlarm()).toBe(null);
    }));
});
