import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Kit } from "../../../durable-objects/kit/kit.js";
import type { StepSpec } from "../../../src/agent/journal.js";
import { IsolateLoad } from "../../../src/platform/isolate-load.js";
import { Clock, deferred, kitIn, withKitTables } from "./support.js";

const call = (id: string): StepSpec<string> => ({ id, kind: "model", schema: z.string(), interrupted: "again" });

/** What a death leaves behind: the storage, and a new instance of the object. */
function reborn(state: DurableObjectState, clock: Clock, afterMs: number, load?: IsolateLoad): Kit {
  clock.at += afterMs;
  return kitIn(state, clock, load === undefined ? {} : { load });
}

describe("work that is tried", () => {
  it("is counted on the disk before anything of it is done, and forgotten when it ended", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const kit = kitIn(state, clock);
      expect(await kit.attempts.begin("w")).toBe("go");
      expect(state.storage.sql.exec("SELECT work, under_way FROM attempts").toArray()).toEqual([
        { work: "w", under_way: 1 },
      ]);
      kit.attempts.forget("w");
      expect(state.storage.sql.exec("SELECT 1 FROM attempts").toArray()).toEqual([]);
    }));

  it("and whose object died waits, longer each time, with the alarm set; in the end it is given up, and it says where it died", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      let kit = kitIn(state, clock);
      for (let death = 1; death <= 5; death++) {
        expect(await kit.attempts.begin("w")).toBe("go");
        void kit.journal("w", () => true).step(call("agent/model/0"), () => new Promise<string>(() => {}));
        kit = reborn(state, clock, 30_000);
        if (death === 5) break;
        expect(await kit.attempts.begin("w"), `after death ${death}`).toBe("later");
        const retry = "SELECT at FROM deadlines WHERE name = 'retry'";
        const { at } = state.storage.sql.exec<{ at: number }>(retry).one();
        const mean = [2_000, 10_000, 60_000, 300_000][death - 1] ?? 0;
        expect(Math.abs(at - clock.at - mean)).toBeLessThanOrEqual(mean / 4);
        clock.at = at;
      }
      expect(await kit.attempts.begin("w")).toBe("given_up");
      expect(kit.attempts.whyGivenUp("w")).toBe(
        'its process died 5 times while it was tried, lastly in the step "agent/model/0" (model)',
      );
    }));

  it("and that ended in any other way hasn't died", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const kit = kitIn(state, clock);
      await kit.attempts.begin("w");
      kit.attempts.over();
      expect(await reborn(state, clock, 60_000).attempts.begin("w")).toBe("go");
    }));

  it("again after a death makes its calls one at a time, and each is on the disk before it is made", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      await kitIn(state, clock).attempts.begin("w");
      const kit = reborn(state, clock, 0);
      expect(await kit.attempts.begin("w")).toBe("go");
      const journal = kit.journal("w", () => true);
      const gate = deferred<string>();
      const begun: string[] = [];
      const calls = ["a", "b"].map((id) =>
        journal.scope("tools").step(call(id), async () => {
          begun.push(id);
          return gate.promise;
        }),
      );
      await expect.poll(() => begun).toEqual(["a"]);
      await state.storage.sync();
      expect(begun).toEqual(["a"]);
      gate.resolve("done");
      expect(await Promise.all(calls)).toEqual(["done", "done"]);
      expect(begun).toEqual(["a", "b"]);
    }));

  it("lets others in its process end first once it has died; what begins beside it isn't blamed for what it does", () =>
    withKitTables(async (state) => {
      const clock = new Clock();
      const load = new IsolateLoad(clock.now);
      await reborn(state, clock, 0, load).attempts.begin("w");
      load.begin("another object's turn", false);
      const kit = reborn(state, clock, 10_000, load);
      expect(await kit.attempts.begin("w")).toBe("later");
      expect(kit.attempts.retryAt("w")).toBeGreaterThan(clock.at);
      clock.at += 2_500;
      expect(await kit.attempts.begin("w")).toBe("later");
      load.end("another object's turn");
      expect(await kit.attempts.begin("w")).toBe("go");
      expect(kit.attempts.retryAt("w")).toBeUndefined();
      // It died beside another: what becomes of the process now isn't its fault for sure.
      expect(load.beside("another object's turn")).toMatchObject({ works: 1, suspects: 0 });
      load.begin("what died alone", true);

      await withKitTables(async (other) => {
        await kitIn(other, clock, { load }).attempts.begin("bystander");
        const after = reborn(other, clock, 60_000, new IsolateLoad(clock.now));
        expect(await after.attempts.begin("bystander")).toBe("go");
        expect(after.attempts.deaths("bystander")).toBe(0);
      });
    }));
});
