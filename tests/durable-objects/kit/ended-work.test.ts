/** What ended work leaves: when it goes off, and who sees to it if nobody does. */
import { expect, it, vi } from "vitest";
import type { OutboxMessage } from "../../../durable-objects/kit/outbox-rows.js";
import { CancelSource } from "../../../src/agent/cancel.js";
import { eventually } from "../../support/eventually.js";
import { Clock, kitIn, withKitTables } from "./support.js";

const ended = { kind: "turn", outcome: "completed", since: 0, agent: "assistant" } as const;

/** A kit of an object that looks itself what is left when it wakes up, and the topics that it has delivered. */
function kitThatDelivers(state: DurableObjectState, clock: Clock) {
  const took: string[] = [];
  const deliver = async (messages: readonly OutboxMessage[]): Promise<void> => {
    took.push(...messages.map(({ topic }) => topic));
  };
  return { kit: kitIn(state, clock, { deliver, active: () => false }), took };
}

it("copies go behind the synchronous section in which the work ended: its answer goes first", () =>
  withKitTables(async (state) => {
    const { kit, took } = kitThatDelivers(state, new Clock());
    kit.end("trn_1", ended, () => {});
    expect(took).toEqual([]);
    await eventually(() => expect(took).toEqual(["usage"]));
  }));

it("what somebody waits for takes everything along at once", () =>
  withKitTables((state) => {
    const { kit, took } = kitThatDelivers(state, new Clock());
    kit.end("trn_1", ended, () => kit.outbox.put("work_ended", "trn_1", { work: "trn_1", at: 0 }));
    expect(took).toEqual(["work_ended", "usage"]);
  }));

it("an instance that dies before leaves it to the alarm, and to whoever wakes the object", () =>
  withKitTables(async (state) => {
    const clock = new Clock();
    const dying = kitIn(state, clock, { deliver: () => new Promise(() => {}), active: () => false });
    dying.end("trn_1", ended, () => {});
    expect(await state.storage.getAlarm()).toBeGreaterThan(clock.at);

    const next = kitThatDelivers(state, clock);
    next.kit.resume();
    await next.kit.stop();
    expect(next.took).toEqual(["usage"]);
  }));

it("work that has thrown is forgotten with its end, by a later instance too; of work that never did there is nothing to delete", () =>
  withKitTables((state) => {
    const crashes = () => state.storage.sql.exec("SELECT work FROM crashes").toArray();
    const lease = { signal: new CancelSource().signal, isHeld: () => true };
    const first = kitIn(state, new Clock());
    for (const work of ["trn_1", "trn_2"]) first.loop.afterThrow(work, new Error("broken"), lease);
    first.end("trn_1", ended, () => {});
    expect(crashes()).toEqual([{ work: "trn_2" }]);

    const second = kitIn(state, new Clock());
    const fails = (): never => {
      throw new Error("no room");
    };
    expect(() =>
      second.write(() => {
        second.end("trn_2", ended, () => {});
        fails();
      }),
    ).toThrow("no room");
    expect(crashes()).toEqual([{ work: "trn_2" }]);
    second.end("trn_2", ended, () => {});
    expect(crashes()).toEqual([]);

    const exec = vi.spyOn(state.storage.sql, "exec");
    second.end("trn_3", ended, () => {});
    expect(exec.mock.calls.filter(([statement]) => statement.includes("crashes"))).toEqual([]);
  }));

it("work that leaves nothing sets no alarm", () =>
  withKitTables(async (state) => {
    let steps = 2;
    const kit = kitIn(state, new Clock(), { slice: async () => (steps-- > 0 ? "again" : "idle") });
    kit.loop.kick();
    await kit.loop.driven();
    expect(state.storage.sql.exec("SELECT name FROM deadlines WHERE name = 'outbox'").toArray()).toEqual([]);
  }));
