import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { eventStream, type StreamOptions } from "../../../durable-objects/kit/event-stream.js";
import { EventLog, type LiveEvent } from "../../../durable-objects/kit/events.js";
import type { EventData, StoredEventData } from "../../../src/catalogues/events.js";
import type { OutboxPayload } from "../../../src/catalogues/outbox.js";
import type { Turn } from "../../../src/chat/session.js";
import { splitEvents } from "../../support/conclave.js";
import { Clock, kitIn, withKitTables } from "./support.js";

function withLog(test: (log: EventLog) => void | Promise<void>): Promise<void> {
  return withKitTables((state) => test(new EventLog(state.storage.sql, new Clock().now, (_type, data) => data)));
}

const idle: StreamOptions = { after: 0, lingerMs: 0, active: () => false, visible: ({ data }) => data };

describe("the event log", () => {
  it("numbers what happens, growing, and gives what came after a number, of one work or of all", () =>
    withLog((log) => {
      log.append("turn.started", "w", { turnId: "w" });
      log.append("turn.started", "v", { turnId: "v" });
      log.append("turn.completed", "w", { turnId: "w" });
      log.append("message.erased", undefined, { messageId: "m" });
      const all = log.read(0, 10);
      expect(all.map(({ type, work }) => [type, work])).toEqual([
        ["turn.started", "w"],
        ["turn.started", "v"],
        ["turn.completed", "w"],
        ["message.erased", undefined],
      ]);
      const numbers = all.map(({ seq }) => seq);
      expect(numbers).toEqual([...numbers].sort((x, y) => x - y));
      expect(new Set(numbers).size).toBe(4);
      expect(log.read(numbers[1] ?? 0, 10).map(({ type }) => type)).toEqual(["turn.completed", "message.erased"]);
      expect(log.read(0, 10, "w").map(({ type }) => type)).toEqual(["turn.started", "turn.completed"]);
      expect(log.read(0, 2)).toHaveLength(2);
    }));

  it("tells who listens, also of what isn't kept", () =>
    withLog((log) => {
      const visible: LiveEvent[] = [];
      const leave = log.subscribe((event) => visible.push(event));
      log.append("turn.started", "w", { turnId: "w" });
      log.announce("reply.delta", "w", { turnId: "w", text: "x", attempt: 0, offset: 0 });
      leave();
      log.append("turn.waiting", "w", { turnId: "w" });
      expect(visible.map(({ type, seq }) => [type, seq !== undefined])).toEqual([
        ["turn.started", true],
        ["reply.delta", false],
      ]);
      expect(log.read(0, 10).map(({ type }) => type)).toEqual(["turn.started", "turn.waiting"]);
    }));

  it("stores what happens in one write in one row a work, and gives each event with its number and its time", () =>
    withKitTables((state) => {
      const clock = new Clock();
      const kit = kitIn(state, clock);
      const visible: LiveEvent[] = [];
      kit.events.subscribe((event) => visible.push(event));
      kit.events.append("turn.started", "v", { turnId: "v" });
      const numbers = kit.write(() => {
        const started = kit.events.append("turn.started", "w", { turnId: "w" });
        clock.at += 1;
        return [started, kit.events.append("turn.waiting", "w", { turnId: "w" })];
      });
      kit.write(() => {
        kit.events.append("turn.completed", "w", { turnId: "w" });
        kit.events.append("turn.completed", "v", { turnId: "v" });
      });
      expect(state.storage.sql.exec("SELECT 1 FROM events").toArray()).toHaveLength(4);
      const all = kit.events.read(0, 10);
      expect(all.map(({ seq, type, work, data }) => [seq, type, work, JSON.parse(data).turnId])).toEqual([
        [1, "turn.started", "v", "v"],
        [2, "turn.started", "w", "w"],
        [3, "turn.waiting", "w", "w"],
        [4, "turn.completed", "w", "w"],
        [5, "turn.completed", "v", "v"],
      ]);
      expect(numbers).toEqual([2, 3]);
      expect(visible.map(({ seq, type }) => [seq, type])).toEqual(all.map(({ seq, type }) => [seq, type]));
      const [started, waiting] = [all[1]?.at ?? "", all[2]?.at ?? ""].map((at) => Date.parse(at));
      expect(Number(waiting) - Number(started)).toBe(1);
      // From the middle of a row, and up to its middle.
      expect(kit.events.read(2, 10, "w").map(({ seq }) => seq)).toEqual([3, 4]);
      expect(kit.events.read(0, 2).map(({ seq }) => seq)).toEqual([1, 2]);
      expect(kit.events.lastBefore(clock.at)).toBe(2);
      expect(kit.events.stored("w", "turn.started", "turn.completed").map(({ type }) => type)).toEqual([
        "turn.started",
        "turn.completed",
      ]);
    }));

  it("has nothing of a write that failed, and goes on with the next number", () =>
    withKitTables((state) => {
      const kit = kitIn(state, new Clock());
      const fails = (): void => {
        kit.events.append("turn.started", "w", { turnId: "w" });
        kit.outbox.put("work_ended", "w", { work: "w", at: 0 });
        kit.deadlines.move("d", 1);
        throw new Error("no room");
      };
      expect(() => kit.write(fails)).toThrow("no room");
      expect([kit.events.read(0, 10), kit.outbox.size(), kit.deadlines.passed(9)]).toEqual([[], 0, []]);
      expect(kit.events.append("turn.started", "w", { turnId: "w" })).toBe(1);
    }));

  it("gives a number that was heard to no other event, also where its write came to nothing", () =>
    withKitTables((state) => {
      const kit = kitIn(state, new Clock());
      const visible: (number | undefined)[] = [];
      kit.events.subscribe(({ seq }) => void visible.push(seq));
      const { sql } = state.storage;
      sql.exec("CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no room'); END");
      const write = () =>
        kit.write(() => {
          kit.events.append("turn.started", "w", { turnId: "w" });
          kit.outbox.put("work_ended", "w", { work: "w", at: 0 });
        });
      expect(write).toThrow("no room");
      sql.exec("DROP TRIGGER full");
      write();
      expect(new Set(visible).size).toBe(visible.length);
      expect(kit.events.read(0, 10).map(({ seq }) => seq)).toEqual(visible.slice(-1));
    }));

  it("shows of stored data what holds now", () =>
    withKitTables((state) => {
      let shown = "then";
      const log = new EventLog(state.storage.sql, new Clock().now, () => ({ shown }));
      log.append("message.edited", undefined, { messageId: "m" });
      shown = "now";
      expect(log.read(0, 1)[0]?.data).toBe('{"shown":"now"}');
    }));
});

describe("what the log takes", () => {
  it("is checked when it is compiled: types of the catalogue, each with its data", () => {
    type Appended = Parameters<typeof EventLog.prototype.append>[0];
    expectTypeOf<"turn.begun">().not.toExtend<Appended>();
    expectTypeOf<"reply.delta">().not.toExtend<Appended>();
    expectTypeOf<StoredEventData<"turn.completed">>().toEqualTypeOf<{ turnId: string }>();
    expectTypeOf<StoredEventData<"message.erased">>().toEqualTypeOf<{ messageId: string }>();
    expectTypeOf<EventData<"turn.completed">>().toExtend<Turn>();
    expectTypeOf<OutboxPayload<"flush">>().toEqualTypeOf<{ fromSeq: number; toSeq: number }>();
  });
});

describe("its stream", () => {
  it("gives all pages of the past and ends when nothing goes on", () =>
    withLog(async (log) => {
      for (let n = 0; n < 450; n++) log.append("context.changed", "w", { version: n });
      const events = splitEvents(await new Response(eventStream(log, idle)).text());
      expect(events.map(({ data }) => data.version)).toEqual(Array.from({ length: 450 }, (_, n) => n));
    }));

  it("resumes after the last number a client saw, without a gap or a repetition", () =>
    withLog(async (log) => {
      for (let n = 0; n < 10; n++) log.append("context.changed", "w", { version: n });
      const first = splitEvents(await new Response(eventStream(log, idle)).text()).slice(0, 4);
      const rest = splitEvents(
        await new Response(eventStream(log, { ...idle, after: Number(first.at(-1)?.id) })).text(),
      );
      expect([...first, ...rest].map(({ data }) => data.version)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }));

  it("goes on live, only about its work, with what a late listener has missed, until the work is over", () =>
    withLog(async (log) => {
      let active = true;
      log.append("turn.started", "w", { turnId: "w" });
      const delta = { turnId: "w", attempt: 0 };
      const catchUp = log.live("reply.delta", "w", { ...delta, text: "so far", offset: 0 });
      const stream = eventStream(log, { ...idle, work: "w", active: () => active, catchUp });
      log.announce("reply.delta", "w", { ...delta, text: " more", offset: 6 });
      log.append("turn.waiting", "v", { turnId: "v" });
      active = false;
      log.append("turn.completed", "w", { turnId: "w" });
      const events = splitEvents(await new Response(stream).text());
      expect(events.map(({ event }) => event)).toEqual([
        "turn.started",
        "reply.delta",
        "reply.delta",
        "turn.completed",
      ]);
    }));

  it("tells who comes late once what was kept back until somebody listened", () =>
    withLog(async (log) => {
      let active = true;
      const delta = { turnId: "w", attempt: 0 };
      const catchUp = (): LiveEvent => {
        log.announce("reply.delta", "w", { ...delta, text: " far", offset: 2 });
        return log.live("reply.delta", "w", { ...delta, text: "so far", offset: 0 });
      };
      const stream = eventStream(log, { ...idle, work: "w", active: () => active, catchUp });
      active = false;
      log.append("turn.completed", "w", { turnId: "w" });
      const events = splitEvents(await new Response(stream).text());
      expect(events.map(({ data }) => data.text)).toEqual(["so far", undefined]);
    }));

  it("stops listening when its reader goes away", () =>
    withLog(async (log) => {
      const stream = eventStream(log, { ...idle, active: () => true });
      const reader = stream.getReader();
      await reader.read();
      await reader.cancel();
      const told = vi.spyOn(JSON, "stringify");
      expect(() => log.append("turn.started", "w", { turnId: "w" })).not.toThrow();
      told.mockRestore();
    }));
});
