import { describe, expect, it, vi } from "vitest";
import { answerResult } from "../../../durable-objects/kit/asks.js";
import type { Answerer, AskRequest } from "../../../src/asks/ask.js";
import { askOwner } from "../../../src/asks/ask.js";
import type { ActorRecord, KeyRole } from "../../../src/conversation/actor-record.js";
import { Clock, kitIn, withKitTables } from "./support.js";

const question: AskRequest = { kind: "human", question: "?", source: {} };

const system: ActorRecord = { kind: "system", id: "test" };
const as = (role: KeyRole): Answerer => ({ by: { kind: "key", id: `key_${role}`, role }, asStaff: role !== "client" });

function withAsks(test: (world: World) => void | Promise<void>): Promise<void> {
  return withKitTables((state) => {
    const clock = new Clock();
    const closed = vi.fn();
    const kit = kitIn(state, clock, { askClosed: closed });
    return test({ state, clock, closed, kit, rows: (query) => state.storage.sql.exec(query).toArray() });
  });
}
interface World {
  state: DurableObjectState;
  clock: Clock;
  closed: ReturnType<typeof vi.fn>;
  kit: ReturnType<typeof kitIn>;
  rows: (query: string) => Record<string, unknown>[];
}

describe("the asks of an object", () => {
  it("are opened with an event, an inbox copy and a deadline, and their ids say whose they are", () =>
    withAsks(async ({ kit, clock, rows }) => {
      const ask = kit.asks.open("w", "s", { ...question, timeoutMs: 1_000 });
      expect(askOwner(ask.askId)).toBe("ses_01k00000000000000000000000");
      expect(kit.asks.find("w", "s")).toEqual(ask);
      expect(kit.events.read(0, 10)).toMatchObject([{ type: "ask.opened", work: "w" }]);
      expect(rows("SELECT entity, topic FROM outbox")).toEqual([{ entity: ask.askId, topic: "ask" }]);
      expect(rows("SELECT name, at FROM deadlines WHERE name LIKE 'ask:%'")).toEqual([
        { name: `ask:${ask.askId}`, at: clock.at + 1_000 },
      ]);
      await kit.outbox.drain();
      expect(rows("SELECT * FROM outbox")).toEqual([]);
    }));

  it("take the first answer; the same again changes nothing, another is refused", () =>
    withAsks(({ kit, closed, rows }) => {
      const { askId } = kit.asks.open("w", "s", question);
      expect(kit.asks.answer(askId, { response: "a" }, as("client"))).toMatchObject({ kind: "accepted" });
      expect(kit.asks.answer(askId, { response: "a" }, as("admin"))).toMatchObject({ kind: "same" });
      const other = kit.asks.answer(askId, { response: "b" }, as("client"));
      expect(other).toMatchObject({ kind: "already_closed", ask: { answer: { response: "a" } } });
      expect(answerResult(askId, other)).toMatchObject({ ok: false, problem: { code: "already_closed" } });
      expect(closed).toHaveBeenCalledExactlyOnceWith("w");
      expect(kit.events.read(0, 10).map(({ type }) => type)).toEqual(["ask.opened", "ask.closed"]);
      expect(rows("SELECT 1 FROM deadlines WHERE name LIKE 'ask:%'")).toEqual([]);
    }));

  it("show in events neither what is proposed nor an answer that only operators may read", () =>
    withAsks(({ kit }) => {
      const request: AskRequest = { ...question, kind: "review", audience: "staff", proposal: "a secret" };
      const { askId } = kit.asks.open("w", "s", request);
      kit.asks.answer(askId, { decision: "edit", content: "another secret" }, as("operator"));
      const shown = kit.events.read(0, 10).map(({ type, data }) => ({ type, ...JSON.parse(data) }));
      expect(shown).toMatchObject([
        { type: "ask.opened", askId, status: "answered" },
        { type: "ask.closed", askId, status: "answered" },
      ]);
      expect(JSON.stringify(shown)).not.toContain("secret");
    }));

  it("are answered only by who may, and only with what fits", () =>
    withAsks(({ kit, closed }) => {
      const { askId } = kit.asks.open("w", "s", { ...question, kind: "approval", audience: "staff" });
      expect(answerResult(askId, kit.asks.answer(askId, { decision: "once" }, as("client")))).toMatchObject({
        problem: { code: "forbidden", detail: expect.stringContaining("audience") },
      });
      expect(answerResult(askId, kit.asks.answer(askId, { response: "ok" }, as("operator")))).toMatchObject({
        problem: { code: "invalid" },
      });
      expect(
        answerResult("ask_unknown", kit.asks.answer("ask_unknown", { decision: "once" }, as("operator"))),
      ).toMatchObject({
        problem: { code: "not_found" },
      });
      expect(closed).not.toHaveBeenCalled();
      expect(kit.asks.get(askId)?.status).toBe("open");
    }));

  it.each([
    ["with a default, which is the answer then", { response: "later" }],
    ["without one", undefined],
  ])("expire by the alarm, %s", (_what, defaultResponse) =>
    withAsks(({ kit, clock, closed }) => {
      const { askId } = kit.asks.open("w", "s", { ...question, timeoutMs: 1_000, defaultResponse });
      clock.at += 999;
      kit.onAlarm();
      expect(kit.asks.get(askId)?.status).toBe("open");
      clock.at += 1;
      kit.onAlarm();
      kit.onAlarm();
      const expired = kit.asks.get(askId);
      expect(expired?.status).toBe("expired");
      expect(expired?.answer).toEqual(defaultResponse);
      expect(closed).toHaveBeenCalledTimes(1);
    }),
  );

  it("are cancelled one by one or with their work", () =>
    withAsks(({ kit, closed }) => {
      const first = kit.asks.open("w", "1", question);
      const second = kit.asks.open("w", "2", question);
      const other = kit.asks.open("v", "1", question);
      expect(kit.asks.cancel(first.askId, system)).toMatchObject({ kind: "accepted", ask: { status: "cancelled" } });
      kit.asks.cancelOfWork("w", system);
      kit.asks.cancelOfWork("w", system);
      expect(kit.asks.ofWork("w").map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
      expect(kit.asks.openOfWork("v")).toEqual([other]);
      expect(kit.asks.cancel("ask_unknown", system)).toBeUndefined();
      expect(kit.asks.answer(second.askId, { response: "x" }, as("admin"))?.kind).toBe("already_closed");
      expect(closed).toHaveBeenCalledTimes(2);
    }));
});
