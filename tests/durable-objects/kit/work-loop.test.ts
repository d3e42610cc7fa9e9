import { describe, expect, it, type Mock, vi } from "vitest";
import type { Kit } from "../../../durable-objects/kit/kit.js";
import {
  type EndingWork,
  type Lease,
  leaseMs,
  type SlicedWork,
  type StepOutcome,
} from "../../../durable-objects/kit/work-loop.js";
import { Parked } from "../../../src/agent/journal.js";
import { Clock, deferred, kitIn, settle, withKitTables } from "./support.js";

interface Around {
  readonly clock: Clock;
  /** When the lease runs out; nothing without one. */
  readonly lease: () => number | undefined;
  readonly crashed: Mock;
}

/** A loop that does this slice whenever it looks, in an object of its own. */
function withLoop(
  slice: SlicedWork["slice"],
  test: (loop: Kit["loop"], around: Around) => Promise<void>,
): Promise<void> {
  return withKitTables(async (state) => {
    const clock = new Clock();
    const crashed = vi.fn();
    const deadlines = "SELECT at FROM deadlines WHERE name = 'lease'";
    const lease = () => state.storage.sql.exec<{ at: number }>(deadlines).toArray()[0]?.at;
    await test(kitIn(state, clock, { slice, crashed }).loop, { clock, lease, crashed });
  });
}

describe("the loop", () => {
  it("does one work after the other until there is none, under a lease, and gives the lease back", () => {
    let left = 3;
    return withLoop(
      async () => (left-- > 0 ? "again" : "idle"),
      async (loop, { clock, lease }) => {
        loop.kick();
        expect(lease()).toBe(clock.at + leaseMs);
        expect(left).toBe(3);
        await loop.driven();
        expect(left).toBe(-1);
        expect(lease()).toBeUndefined();
      },
    );
  });

  it("is one, however often it is kicked", () => {
    const gate = deferred<StepOutcome>();
    const slice = vi.fn(async () => (slice.mock.calls.length === 1 ? gate.promise : "idle"));
    return withLoop(slice, async (loop) => {
      loop.kick();
      loop.kick();
      await settle();
      loop.kick();
      expect(slice).toHaveBeenCalledTimes(1);
      gate.resolve("again");
      await loop.driven();
      expect(slice).toHaveBeenCalledTimes(3);
    });
  });

  it("doesn't lose a kick that comes while it takes its last look", () => {
    const look = deferred<StepOutcome>();
    let work = 0;
    let done = 0;
    const slice = vi.fn(async () => {
      if (slice.mock.calls.length === 1) return look.promise;
      if (work === 0) return "idle" as const;
      work -= 1;
      done += 1;
      return "again" as const;
    });
    return withLoop(slice, async (loop) => {
      loop.kick();
      await settle();
      // The look has found nothing; before the loop hears of it, work comes.
      look.resolve("idle");
      work = 1;
      loop.kick();
      await loop.driven();
      expect(done).toBe(1);
    });
  });

  it("keeps its lease when a slice blows up, so that the alarm tries again", () => {
    let broken = true;
    let done = 0;
    const slice = async (): Promise<StepOutcome> => {
      if (broken) throw new Error("unforeseen");
      done += 1;
      return "idle";
    };
    return withLoop(slice, async (loop, { clock, lease, crashed }) => {
      loop.kick();
      await expect(loop.driven()).rejects.toThrow("unforeseen");
      expect(crashed).toHaveBeenCalledTimes(1);
      expect(lease()).toBe(clock.at + leaseMs);
      broken = false;
      loop.kick();
      expect(await loop.driven()).toBe("idle");
      expect(done).toBe(1);
      expect(lease()).toBeUndefined();
    });
  });

  it("does a slice a kick where the work says so, and says that more is left", () => {
    let left = 3;
    return withLoop(
      async () => (--left > 0 ? "yielded" : "idle"),
      async (loop, { lease }) => {
        loop.kick();
        expect(await loop.driven()).toBe("yielded");
        expect(left).toBe(2);
        expect(lease()).toBeUndefined();
        loop.kick();
        loop.kick();
        await loop.driven();
        expect(left).toBe(1);
      },
    );
  });

  it("writes nothing more of an object that was emptied", () =>
    withLoop(
      async () => "gone",
      async (loop, { clock, lease }) => {
        loop.kick();
        await loop.driven();
        expect(lease()).toBe(clock.at + leaseMs);
      },
    ));

  it("takes the lease from work that is cancelled, and from a slice that is over", () => {
    const leases: Lease[] = [];
    const gate = deferred<StepOutcome>();
    const slice = async (lease: Lease): Promise<StepOutcome> => {
      leases.push(lease);
      return leases.length === 1 ? gate.promise : "idle";
    };
    return withLoop(slice, async (loop) => {
      loop.kick();
      await settle();
      expect(leases[0]?.isHeld()).toBe(true);
      loop.cancel("other");
      expect(leases[0]?.isHeld()).toBe(true);
      loop.cancel();
      expect([leases[0]?.isHeld(), leases[0]?.signal.aborted]).toEqual([false, true]);
      gate.resolve("again");
      await loop.driven();
      expect([leases[1]?.isHeld(), leases[1]?.signal.aborted]).toEqual([false, false]);
    });
  });

  it("begins nothing more once it is stopped, and goes on when it is kicked after that", () => {
    const gate = deferred<StepOutcome>();
    const slice = vi.fn(async () => (slice.mock.calls.length === 1 ? gate.promise : "idle"));
    return withLoop(slice, async (loop) => {
      loop.kick();
      await settle();
      const stopped = loop.stop();
      loop.kick();
      gate.resolve("again");
      await stopped;
      expect(slice).toHaveBeenCalledTimes(1);
      loop.kick();
      await loop.driven();
      expect(slice).toHaveBeenCalledTimes(2);
    });
  });

  it("is replaced by the alarm when it died with its instance, and left alone while it lives", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const steps: string[] = [];
      const never = new Promise<StepOutcome>(() => {});
      const first = kitIn(state, clock, {
        slice: () => {
          steps.push("first");
          return never;
        },
      });
      first.loop.kick();
      await settle();
      clock.at += leaseMs;
      first.onAlarm();
      await settle();
      expect(steps).toEqual(["first"]);

      // What an eviction leaves: the storage, and a new instance.
      const second = kitIn(state, clock, {
        slice: async () => {
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
      await second.loop.driven();
      expect(steps).toEqual(["first", "second"]);
      expect(second.deadlines.passed(Number.MAX_SAFE_INTEGER)).toEqual([]);
    }));

  it("that died is replaced when its object wakes up with work left; in between its lease is the alarm and no row", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const never = new Promise<StepOutcome>(() => {});
      const first = kitIn(state, clock, { active: () => true, slice: () => never });
      first.loop.kick();
      await settle();
      expect(await state.storage.getAlarm()).toBe(clock.at + leaseMs);
      expect(state.storage.sql.exec("SELECT 1 FROM deadlines").toArray()).toEqual([]);

      const steps: string[] = [];
      let left = true;
      const slice = async (): Promise<StepOutcome> => {
        steps.push("second");
        left = false;
        return "idle";
      };
      const second = kitIn(state, clock, { active: () => left, slice });
      second.resume();
      second.onAlarm();
      await second.loop.driven();
      expect(steps).toEqual(["second"]);
      // The alarm that stood for it rings once more and finds nothing.
      second.onAlarm();
      expect(steps).toEqual(["second"]);
      expect(await state.storage.getAlarm()).toBe(null);
    }));
});

describe("work with an end", () => {
  /** What happens to one work of this drive, while it is kicked and its waits pass. */
  function withWork(drive: EndingWork["drive"], test: (kit: Kit, events: string[], clock: Clock) => Promise<void>) {
    return withKitTables(async (state) => {
      const clock = new Clock();
      const events: string[] = [];
      const isOver = (): boolean => events.some((event) => event !== "driven");
      const work: EndingWork = {
        id: "w",
        drive: (lease, revision) => {
          events.push("driven");
          return drive(lease, revision);
        },
        park: () => void events.push("parked"),
        fail: (why) => void events.push(why === undefined ? "failed" : `failed: ${why}`),
      };
      await test(kitIn(state, clock, { next: () => (isOver() ? undefined : work) }), events, clock);
    });
  }

  it("is ended by what its drive returns, and knows the revision that came with it", () => {
    let seen: string[] = [];
    const drive: EndingWork["drive"] = async (_lease, revision) => () => void seen.push(`ended at ${revision}`);
    return withWork(drive, async (kit, events) => {
      seen = events;
      kit.loop.kick({ id: "w", revision: 7 });
      await kit.loop.driven();
      expect(events).toEqual(["driven", "ended at 7"]);
    });
  });

  it("isn't ended by a drive that came to its end after a cancel", () => {
    const gate = deferred();
    const end = vi.fn();
    const drive: EndingWork["drive"] = async () => {
      await gate.promise;
      return end;
    };
    return withWork(drive, async (kit, events) => {
      kit.loop.kick({ id: "w" });
      await settle();
      kit.loop.cancel("w");
      events.push("cancelled");
      gate.resolve();
      await kit.loop.driven();
      expect(end).not.toHaveBeenCalled();
      expect(events).toEqual(["driven", "cancelled"]);
    });
  });

  it("is parked while its ask is open", () => {
    let askId = "";
    const drive: EndingWork["drive"] = () => Promise.reject(new Parked([askId]));
    return withWork(drive, async (kit, events) => {
      const request = { kind: "human", question: "Which?" } as const;
      askId = kit.journal("w", () => true).raise("ask", { ...request, source: {} }).askId;
      kit.loop.kick();
      await kit.loop.driven();
      expect(events).toEqual(["driven", "parked"]);
    });
  });

  it("that throws is tried again, ever later, and given up in the end", () => {
    const drive: EndingWork["drive"] = () => Promise.reject(new Error("broken"));
    return withWork(drive, async (kit, events, clock) => {
      kit.loop.kick();
      for (const waitMs of [10_000, 60_000]) {
        await kit.loop.driven();
        clock.at += waitMs;
        kit.onAlarm();
      }
      await kit.loop.driven();
      expect(events).toEqual(["driven", "driven", "driven", "driven", "failed"]);
    });
  });
});
