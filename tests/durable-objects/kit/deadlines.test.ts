import { describe, expect, it, vi } from "vitest";
import { Deadlines } from "../../../durable-objects/kit/deadlines.js";
import { Clock, kitIn, withKitTables } from "./support.js";

describe("named deadlines over the one alarm", () => {
  it("arm it for the earliest, however they are set, moved and cleared", () =>
    withKitTables(async ({ storage }) => {
      const start = Date.now() + 3_600_000;
      const deadlines = new Deadlines(storage);
      deadlines.move("b", start + 2_000);
      expect(await storage.getAlarm()).toBe(start + 2_000);
      deadlines.move("a", start + 1_000);
      deadlines.move("c", start + 3_000);
      expect(await storage.getAlarm()).toBe(start + 1_000);
      deadlines.move("a", start + 5_000);
      expect(await storage.getAlarm()).toBe(start + 2_000);
      deadlines.move("b", undefined);
      deadlines.move("c", undefined);
      expect(await storage.getAlarm()).toBe(start + 5_000);
      deadlines.move("a", undefined);
      expect(await storage.getAlarm()).toBe(null);
      expect(deadlines.passed(Number.MAX_SAFE_INTEGER)).toEqual([]);
    }));

  it("have their alarm again when the write that armed it was rolled back", () =>
    withKitTables(async ({ storage }) => {
      const start = Date.now() + 3_600_000;
      const deadlines = new Deadlines(storage);
      deadlines.move("stored", start + 9_000);
      const fails = () => {
        deadlines.moveBrief("kept in memory", start + 5_000);
        deadlines.move("undone", start + 1_000);
        throw new Error("it fails");
      };
      expect(() => storage.transactionSync(fails)).toThrow("it fails");
      deadlines.onRollback();
      expect(await storage.getAlarm()).toBe(start + 5_000);
    }));

  it("are told when they have passed, the earliest first, until they are dealt with", () =>
    withKitTables(({ storage }) => {
      const start = Date.now() + 3_600_000;
      const deadlines = new Deadlines(storage);
      for (const [name, at] of [
        ["late", 3],
        ["early", 1],
        ["mid", 2],
      ] as const)
        deadlines.move(name, start + at);
      expect(deadlines.passed(start)).toEqual([]);
      expect(deadlines.passed(start + 2)).toEqual(["early", "mid"]);
      expect(deadlines.passed(start + 2)).toEqual(["early", "mid"]);
      deadlines.move("early", undefined);
      expect(deadlines.passed(start + 9)).toEqual(["mid", "late"]);
    }));

  it("are each acted on once, though the alarm rings twice; one that fails keeps none of the others", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const passed = vi.fn((name: string) => {
        if (name === "b") throw new Error("broken");
      });
      const kit = kitIn(state, clock, { deadlinePassed: passed });
      for (const name of ["a", "b", "c"]) kit.deadlines.move(name, clock.at + 10);
      kit.deadlines.move("d", clock.at + 20);
      kit.onAlarm();
      expect(passed).not.toHaveBeenCalled();
      clock.at += 10;
      kit.onAlarm();
      kit.onAlarm();
      expect(passed.mock.calls.flat()).toEqual(["a", "b", "c"]);
      // The slot is armed again for what is left.
      expect(await state.storage.getAlarm()).toBe(clock.at + 10);
    }));
});
