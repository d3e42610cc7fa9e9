import { describe, expect, it, vi } from "vitest";
import { eventStream, type StreamOptions } from "../../../durable-objects/kit/event-stream.js";
import { EventLog, type LiveEvent } from "../../../durable-objects/kit/events.js";
import { parseEvents } from "../../support/conclave.js";
import { Clock, withKitTables } from "./support.js";

function withLog(test: (log: EventLog) => void | Promise<void>): Promise<void> {
  return withKitTables((state) => test(new EventLog(state.storage.sql, new Clock().now, (_type, data) => data)));
}

const idle: StreamOptions = { after: 0, lingerMs: 0, active: () => false };

describe("the event log", () => {
  it("numbers what happens, growing, and gives what came after a number, of one work or of all", () =>
    withLog((log) => {
      for (const [type, work] of [
        ["a", "w"],
        ["b", "v"],
        ["c", "w"],
        ["d", undefined],
      ] as const) {
        log.append(type, work, { type });
      }
      const all = log.read(0, 10);
      expect(all.map(({ type }) => type)).toEqual(["a", "b", "c", "d"]);
      const numbers = all.map(({ seq }) => seq);
      expect(numbers).toEqual([...numbers].sort((x, y) => x - y));
      expect(new Set(numbers).size).toBe(4);
      expect(log.read(numbers[1] ?? 0, 10).map(({ type }) => type)).toEqual(["c", "d"]);
      expect(log.read(0, 10, "w").map(({ type }) => type)).toEqual(["a", "c"]);
      expect(log.read(0, 2)).toHaveLength(2);
    }));

  it("tells who listens, also of what isn't kept", () =>
    withLog((log) => {
      const heard: LiveEvent[] = [];
      const leave = log.subscribe((event) => heard.push(event));
      log.append("kept", "w", { a: 1 });
      log.announce("passing", "w", { text: "x" });
      leave();
      log.append("unheard", "w", {});
      expect(heard.map(({ type, seq }) => [type, seq !== undefined])).toEqual([
        ["kept", true],
        ["passing", false],
      ]);
      expect(log.read(0, 10).map(({ type }) => type)).toEqual(["kept", "unheard"]);
    }));

  it("shows of stored data what holds now", () =>
    withKitTables((state) => {
      let shown = "then";
      const log = new EventLog(state.storage.sql, new Clock().now, () => ({ shown }));
      log.append("x", undefined, { id: 1 });
      shown = "now";
      expect(log.read(0, 1)[0]?.data).toBe('{"shown":"now"}');
    }));
});

describe("its stream", () => {
  it("gives all pages of the past and ends when nothing goes on", () =>
    withLog(async (log) => {
      for (let n = 0; n < 450; n++) log.append("tick", "w", { n });
      const events = parseEvents(await new Response(eventStream(log, idle)).text());
      expect(events.map(({ data }) => data.n)).toEqual(Array.from({ length: 450 }, (_, n) => n));
    }));

  it("resumes after the last number a client saw, without a gap or a repetition", () =>
    withLog(async (log) => {
      for (let n = 0; n < 10; n++) log.append("tick", "w", { n });
      const first = parseEvents(await new Response(eventStream(log, idle)).text()).slice(0, 4);
      const rest = parseEvents(
        await new Response(eventStream(log, { ...idle, after: Number(first.at(-1)?.id) })).text(),
      );
      expect([...first, ...rest].map(({ data }) => data.n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }));

  it("goes on live, only about its work, with what a late listener has missed, until the work is over", () =>
    withLog(async (log) => {
      let active = true;
      log.append("started", "w", {});
      const catchUp = { type: "delta", work: "w", at: "", data: '{"text":"so far"}' };
      const stream = eventStream(log, { after: 0, lingerMs: 0, work: "w", active: () => active, catchUp });
      log.announce("delta", "w", { text: " more" });
      log.append("other", "v", {});
      active = false;
      log.append("completed", "w", {});
      const events = parseEvents(await new Response(stream).text());
      expect(events.map(({ event }) => event)).toEqual(["started", "delta", "delta", "completed"]);
    }));

  it("stops listening when its reader goes away", () =>
    withLog(async (log) => {
      const stream = eventStream(log, { ...idle, active: () => true });
      const reader = stream.getReader();
      await reader.read();
      await reader.cancel();
      const told = vi.spyOn(JSON, "stringify");
      expect(() => log.append("tick", "w", {})).not.toThrow();
      told.mockRestore();
    }));
});
