/** What an end user hears of asks, whatever an event holds. */
import { describe, expect, it } from "vitest";
import { dataVisibleTo } from "../../src/catalogues/events.js";

const ask = {
  askId: "ask_1",
  kind: "review",
  question: "Let it pass?",
  reason: "She owes us.",
  priority: "high",
  from: { sessionId: "ses_1", turnId: "trn_1", supervisors: ["debts"], about: {} },
  status: "open",
  openedAt: "2026-01-01T00:00:00.000Z",
};
const toStaff = { ...ask, audience: "staff" };
const toUser = { ...ask, audience: "user" };
const heard = (type: string, data: unknown): unknown => {
  const text = dataVisibleTo("user", type, () => JSON.stringify(data));
  return text === undefined ? undefined : JSON.parse(text);
};

describe("an end user hears", () => {
  it("a question to themselves as it is, and of one to staff that there is one", () => {
    expect(heard("ask.opened", toUser)).toEqual(toUser);
    expect(heard("ask.opened", toStaff)).toEqual({
      askId: "ask_1",
      kind: "review",
      question: "Staff is asked.",
      priority: "high",
      audience: "staff",
      status: "open",
      openedAt: ask.openedAt,
      from: { sessionId: "ses_1", turnId: "trn_1", about: {} },
    });
    expect(heard("turn.completed", { turnId: "trn_1", asks: [toUser, toStaff] })).toEqual({
      turnId: "trn_1",
      asks: [toUser, heard("ask.opened", toStaff)],
    });
  });

  it("nothing of an ask that isn't there any more, and of a turn no asks that can't be read", () => {
    expect(heard("ask.closed", { askId: "ask_1" })).toBeUndefined();
    expect(heard("turn.completed", { turnId: "trn_1", asks: [{ secret: "x" }] })).toEqual({
      turnId: "trn_1",
      asks: [],
    });
  });

  it("nothing of a type that a version before this had", () => {
    expect(heard("turn.begun", { turnId: "trn_1" })).toBeUndefined();
    expect(dataVisibleTo("operator", "turn.begun", () => "{}")).toBe("{}");
  });
});
