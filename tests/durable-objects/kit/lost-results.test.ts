import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Kit } from "../../../durable-objects/kit/kit.js";
import { Clock, kitIn, withKitTables } from "./support.js";

function withJournal(test: (kit: Kit, state: DurableObjectState) => Promise<void>): Promise<void> {
  return withKitTables((state) => test(kitIn(state, new Clock()), state));
}
const always = () => true;

describe("work some of whose results could not be written", () => {
  const ended = { kind: "turn", since: 0, agent: "a" } as const;
  const fails = (): never => {
    throw new Error("no room");
  };

  it("doesn't complete without them, and is tried again", () =>
    withJournal(async (kit, state) => {
      const completed = { ...ended, outcome: "completed" } as const;
      kit.journal("w", always).withNext(fails);
      // It waits for something outside meanwhile.
      await state.storage.sync();
      const end = vi.fn();
      expect(() => kit.end("w", completed, end)).toThrow("no room");
      expect(end).not.toHaveBeenCalled();
      const lease = { signal: new AbortController().signal, isHeld: always };
      expect(kit.loop.afterThrow("w", new Error("no room"), lease)).toBe("again");
      kit.end("w", completed, end);
      expect(end).toHaveBeenCalledTimes(1);
    }));

  it("can be cancelled, and fail", () =>
    withJournal(async (kit, state) => {
      const end = vi.fn();
      for (const outcome of ["cancelled", "failed"] as const) {
        kit.journal(outcome, always).withNext(fails);
        await state.storage.sync();
        kit.end(outcome, { ...ended, outcome }, end);
      }
      expect(end).toHaveBeenCalledTimes(2);
    }));

  it("writes nothing more in this try, though somebody takes the failure for one of theirs", () =>
    withJournal(async (kit) => {
      const call = { id: "call", kind: "model", schema: z.string(), interrupted: "again" } as const;
      const journal = kit.journal("w", always);
      const theirs = [
        () => journal.commit("verdict", fails),
        () => journal.step({ ...call, onBegin: fails }, async () => "called"),
      ];
      for (const failsToo of theirs) {
        journal.withNext(() => undefined);
        await expect(failsToo()).rejects.toThrow("no room");
        const written = vi.fn();
        await expect(journal.commit("reply", written)).rejects.toThrow("no room");
        expect(() => kit.end("w", { ...ended, outcome: "completed" }, written)).toThrow("no room");
        expect(written).not.toHaveBeenCalled();
        kit.works.flushAfter("w", new Error("no room"));
      }
      const written = vi.fn();
      await kit.journal("w", always).commit("reply", written);
      expect(written).toHaveBeenCalledTimes(1);
    }));
});
