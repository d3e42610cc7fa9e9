import { describe, expect, it } from "vitest";
import { type Ask, type AskRequest, answerAsk, cancelAskBy, openAsk } from "../../src/asks/ask.js";
import { claim, claimMs, claimOf } from "../../src/asks/claim.js";
import { quantile, reportOf } from "../../src/asks/report.js";
import { askForAll, askShownTo } from "../../src/asks/views.js";

const now = Date.UTC(2030, 0, 1);
const person = (id: string) => ({ by: { kind: "person" as const, id, role: "reviewer" as const }, asStaff: true });
const [ada, rita] = [person("per_ada"), person("per_rita")];
const user = { by: { kind: "token" as const, id: "key_1", role: "user" as const, subject: "ada" }, asStaff: false };

const request: AskRequest = { kind: "human", question: "Which?", source: {}, audience: "user" };
const open = (more: Partial<AskRequest> = {}): Ask =>
  openAsk("ask_1", { ...request, ...more }, { sessionId: "ses_1", subject: "ada" }, now);
const held = (ask: Ask, by: typeof ada, at = now): Ask => {
  const outcome = claim(ask, by, at);
  if (outcome.kind !== "claimed") throw new Error("somebody else is at it");
  return { ...ask, claim: outcome.claim };
};

describe("a claim", () => {
  it("holds for ten minutes from when it was renewed last, and then is anybody's", () => {
    const first = held(open(), ada);
    expect(claimOf(first, now + claimMs - 1)?.by.id).toBe("per_ada");
    expect(claimOf(first, now + claimMs)).toBeUndefined();
    const renewed = held(first, ada, now + claimMs - 1);
    expect(claim(renewed, rita, now + claimMs)).toEqual({ kind: "claimed_by_another", claim: renewed.claim });
    expect(claim(renewed, rita, now + 2 * claimMs)).toMatchObject({
      kind: "claimed",
      claim: { by: { id: "per_rita" } },
    });
  });

  it("is taken over by who says so, and names from whom", () => {
    const taken = claim(held(open(), ada), { ...rita, takeOver: true }, now + 1);
    expect(taken).toMatchObject({
      kind: "claimed",
      claim: { by: { id: "per_rita" } },
      takenFrom: { by: { id: "per_ada" } },
    });
    expect(claim(held(open(), ada), { ...ada, takeOver: true }, now + 1)).not.toHaveProperty("takenFrom");
  });

  it("keeps others of the staff from answering and cancelling, and nobody whom the question is for", () => {
    const ask = held(open(), ada);
    expect(answerAsk(ask, { response: "7" }, rita, now)).toMatchObject({ kind: "claimed", claim: ask.claim });
    expect(cancelAskBy(ask, rita, now)).toMatchObject({ kind: "claimed" });
    expect(answerAsk(ask, { response: "7" }, ada, now)).toMatchObject({ kind: "accepted" });
    expect(answerAsk(ask, { response: "7" }, user, now)).toMatchObject({ kind: "accepted" });
    expect(answerAsk(ask, { response: "7" }, rita, now + claimMs)).toMatchObject({ kind: "accepted" });
  });

  it("ends with the ask, and is seen by staff alone", () => {
    const ask = held(open(), ada);
    const answered = answerAsk(ask, { response: "7" }, ada, now);
    expect("ask" in answered && answered.ask).not.toHaveProperty("claim");
    expect(askShownTo(ask, rita)).toHaveProperty("claim");
    expect(askShownTo(ask, user)).not.toHaveProperty("claim");
    expect(askForAll(ask)).not.toHaveProperty("claim");
  });
});

const call = {
  kind: "approval",
  audience: "staff",
  proposal: {
    ...{ toolCallId: "call_1", server: "shop", tool: "refund", args: { order: 7, amount: 12.5 }, argsHash: "h" },
    parameters: { type: "object", properties: { amount: { type: "number" } } },
  },
} as const;

describe("an approval", () => {
  it("takes other arguments, if they fit; the very ones proposed are no edit", () => {
    const faults = () => ['#/amount: Instance type "string" is invalid.'];
    const edited = { decision: "once", args: { order: 7, amount: 10 } };
    expect(answerAsk(open(call), edited, ada, now)).toMatchObject({ kind: "accepted", ask: { answer: edited } });
    expect(answerAsk(open(call), edited, ada, now, faults)).toMatchObject({
      kind: "invalid",
      issues: [{ path: "args.amount" }],
    });
    const same = answerAsk(open(call), { decision: "once", args: { amount: 12.5, order: 7 } }, ada, now, faults);
    expect("ask" in same && same.ask.answer).toEqual({ decision: "once" });
    expect(answerAsk(open(call), { decision: "deny", args: {} }, ada, now)).toMatchObject({ kind: "invalid" });
  });

  it("by an end user is a yes or a no, and shows nothing of the tool", () => {
    const ask = open({ ...call, audience: "user" });
    const edited = { decision: "once", args: { order: 8 } };
    expect(answerAsk(ask, edited, user, now)).toMatchObject({ kind: "invalid", issues: [{ path: "args" }] });
    expect(askShownTo(ask, user).proposal).not.toHaveProperty("parameters");
    expect(askShownTo(ask, ada).preview).toBe('refund {"order":7,"amount":12.5}');
  });

  it("and every other answer takes a note and a message", () => {
    const why = { note: "checked", message: "Until May." };
    const answers = [
      [open(), { response: "7", ...why }],
      [open({ kind: "context" }), { result: "12", ...why }],
      [open(call), { decision: "once", ...why }],
      [open({ kind: "review", audience: "staff" }), { decision: "accept", ...why }],
    ] as const;
    for (const [ask, answer] of answers)
      expect(answerAsk(ask, answer, ada, now)).toMatchObject({ kind: "accepted", ask: { answer } });
    expect(answerAsk(open(call), { response: "no", ...why }, ada, now)).toMatchObject({
      ask: { answer: { decision: "deny", ...why } },
    });
  });
});

it("what staff is asked is overdue after an hour, after half of its time, or as its policy says", () => {
  const overdueIn = (more: Partial<AskRequest>) => {
    const { overdueAt } = open(more);
    return overdueAt === undefined ? undefined : (Date.parse(overdueAt) - now) / 60_000;
  };
  expect(overdueIn({})).toBeUndefined();
  expect(overdueIn({ audience: "staff" })).toBe(60);
  expect(overdueIn({ audience: "staff", timeoutMs: 600_000 })).toBe(5);
  expect(overdueIn({ audience: "staff", timeoutMs: 600_000, overdueAfterMs: 120_000 })).toBe(2);
  expect(overdueIn({ audience: "staff", overdueAfterMs: 0 })).toBeUndefined();
  expect(overdueIn({ audience: "user", overdueAfterMs: 60_000 })).toBe(1);
});

describe("the report", () => {
  it("counts what was accepted as proposed, edited and rejected, and how long it took, by supervisor", () => {
    const closed = (decision: string, tookMs: number, supervisors: string[]) => ({
      ...{ kind: "review", status: "answered", decision, tookMs, supervisors },
    });
    const asks = [
      closed("accept", 10, ["money"]),
      closed("edit", 20, ["money", "tone"]),
      closed("reject", 30, ["tone"]),
      { kind: "human", status: "expired", tookMs: 999, supervisors: [] },
    ];
    const report = reportOf(asks, [1_000, 400_000, 7_200_000, 90_000_000]);
    expect(report.closed).toEqual({
      ...{ answered: 3, medianMs: 20, p90Ms: 30, accepted: 1, edited: 1, rejected: 1, expired: 1, cancelled: 0 },
    });
    expect(report.bySupervisor).toMatchObject([
      { supervisor: "money", answered: 2, accepted: 1, edited: 1, rejected: 0, medianMs: 10 },
      { supervisor: "tone", answered: 2, accepted: 0, edited: 1, rejected: 1 },
    ]);
    expect(report.byPerson).toEqual([]);
    const by = asks.map((one, at) => ({ ...one, closedBy: at < 2 ? "per_ada" : "key_1" }));
    expect(reportOf(by, []).byPerson).toMatchObject([{ personId: "per_ada", answered: 2, edited: 1, medianMs: 10 }]);
    expect(report.openByAge).toEqual({ underFiveMinutes: 1, underAnHour: 1, underADay: 1, longer: 1 });
  });

  it("has quantiles by nearest rank, and none of nothing", () => {
    expect([quantile([3, 1, 2], 0.5), quantile([3, 1, 2], 0.9), quantile([], 0.5)]).toEqual([2, 3, undefined]);
  });
});
