/** Commands under a key, in the object that does their work. */
import { expect, it } from "vitest";
import { ok, type Result } from "../../../src/conversation/problem.js";
import { Clock, kitIn, withKitTables } from "./support.js";

it("a key stands for a day, for what was done under it and against anything else, and then for nothing", () =>
  withKitTables((state) => {
    const clock = new Clock();
    const { commands } = kitIn(state, clock);
    let times = 0;
    const send = (hash: string): Result<string> =>
      commands.once(
        { key: "key key_1 k", hash },
        () => ok(`done ${++times}`),
        () => ok("done before"),
      );
    expect(send("pause")).toEqual(ok("done 1"));
    clock.at += 23 * 3_600_000;
    expect(send("pause")).toEqual(ok("done before"));
    expect(send("resume")).toMatchObject({ ok: false, problem: { code: "idempotency_conflict" } });

    clock.at += 2 * 3_600_000;
    expect(send("resume")).toEqual(ok("done 2"));
    clock.at += 25 * 3_600_000;
    expect(send("resume")).toEqual(ok("done 3"));
    expect(send("resume")).toEqual(ok("done before"));
  }));
