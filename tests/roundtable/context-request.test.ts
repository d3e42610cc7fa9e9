import { describe, expect, it } from "vitest";
import {
  awaitedContext,
  citableContext,
  decideRequest,
  type RequestLimits,
  readRequest,
  requestLengths,
  seatsWithNews,
  viewOfRequest,
  waitingSeats,
  withAsker,
} from "../../src/roundtable/context-request.js";
import { contextItem } from "../../src/roundtable/context-text.js";
import { type AskedFor, asked, later, openedAt, requestsOf, withResults } from "./support.js";

const budget = "What is our monthly infrastructure budget?";
const budgetInOtherWords = "What's the monthly budget for our infrastructure?";
const limits: RequestLimits = { maxPerSeat: 3, max: 30, priority: "all", minLikeness: 0.8 };
const optional = { priority: "optional" } as const;

function decide(requests: ReturnType<typeof requestsOf>, by: AskedFor, changed: Partial<RequestLimits> = {}) {
  return decideRequest(requests, by, { ...limits, ...changed });
}

describe("the arguments of request_context", () => {
  it("are a query, a reason and a priority, which is required if nothing is said", () => {
    expect(readRequest({ query: " What? ", reason: "Why." })).toEqual({
      ok: true,
      asked: { query: "What?", reason: "Why.", priority: "required" },
    });
    expect(readRequest({ query: "What?", reason: "Why.", priority: "Optional" })).toMatchObject({ asked: optional });
  });

  it.each([
    [{ reason: "Why." }, "query: "],
    [{ query: "", reason: "Why." }, "query: "],
    [{ query: "What?" }, "reason: "],
    [{ query: "x".repeat(requestLengths.query + 1), reason: "Why." }, "query: "],
    [{ query: "What?", reason: "x".repeat(requestLengths.reason + 1) }, "reason: "],
    [{ query: "What?", reason: "Why.", priority: "urgent" }, "priority: "],
  ])("are refused with the field that is wrong: %#", (args, words) => {
    expect(readRequest(args)).toMatchObject({ ok: false, problem: expect.stringContaining(words) });
  });
});

describe("a request", () => {
  const requests = requestsOf(asked("ana", budget, optional));

  it("is new when nothing like it was asked", () => {
    expect(decide([], asked("ana", budget))).toEqual({ kind: "new" });
    expect(decide(requests, asked("ben", "Who owns the payment gateway?"))).toEqual({ kind: "new" });
  });

  it("is the one that is open, when it has the same words or the same meaning", () => {
    for (const query of [budget.toUpperCase(), budgetInOtherWords]) {
      expect(decide(requests, asked("ben", query))).toMatchObject({ kind: "open", request: { requestId: "ask_1" } });
    }
  });

  it("merges its askers, their reasons, and the strictest priority", () => {
    const merged = requests.map((request) => withAsker(request, asked("ben", budgetInOtherWords)));
    expect(merged).toMatchObject([{ priority: "required", query: budget, askers: [{ seat: "ana" }, { seat: "ben" }] }]);
    const [again] = merged.map((request) => withAsker(request, asked("ben", budget, optional)));
    expect(again?.askers).toHaveLength(2);
    expect(again?.priority).toBe("required");
  });

  it("is answered from the debate's own store in every later round, whoever asks", () => {
    const answered = withResults(requests, { requestId: "ask_1", result: "€ 40,000" });
    expect(decide(answered, asked("cem", budgetInOtherWords, { round: 9 }))).toMatchObject({
      kind: "known",
      match: "meaning",
      request: { result: "€ 40,000" },
    });
  });

  it("isn't asked again once it could not be had, or the caller went on without it", () => {
    const failed = withResults(requests, { requestId: "ask_1", error: "No access." });
    expect(decide(failed, asked("ben", budget))).toMatchObject({ kind: "known", request: { error: "No access." } });
    const skipped = requestsOf(asked("ana", budget)).map((request) => ({ ...request, status: "skipped" as const }));
    expect(decide(skipped, asked("ben", budget))).toMatchObject({ kind: "known", request: { status: "skipped" } });
  });

  it("is asked again when it was given up as optional and is required now", () => {
    const withdrawn = requests.map((request) => ({ ...request, status: "withdrawn" as const }));
    expect(decide(withdrawn, asked("ben", budget, optional))).toMatchObject({ kind: "known" });
    expect(decide(withdrawn, asked("ben", budget))).toEqual({ kind: "new" });
  });
});

describe("how much may be asked", () => {
  const three = requestsOf(...["Who owns it?", "What does it cost?", "When was it built?"].map((q) => asked("ana", q)));

  it("is counted by seat and round", () => {
    expect(decide(three, asked("ana", "Where does it run?"))).toMatchObject({ kind: "refused" });
    expect(decide(three, asked("ben", "Where does it run?"))).toEqual({ kind: "new" });
    expect(decide(three, asked("ana", "Where does it run?", { round: 2 }))).toEqual({ kind: "new" });
  });

  it("is counted for the whole debate", () => {
    const why = "this debate may ask for 3 things, and has";
    expect(decide(three, asked("ben", "Where does it run?"), { max: 3 })).toEqual({ kind: "refused", why });
  });

  it("doesn't count what is joined or answered", () => {
    expect(decide(three, asked("ana", "Who owns it?"), { max: 3 })).toMatchObject({ kind: "open" });
  });

  it("leaves out what is optional where only required requests are let through", () => {
    expect(decide([], asked("ana", budget, optional), { priority: "required" })).toMatchObject({ kind: "refused" });
    expect(decide([], asked("ana", budget), { priority: "required" })).toEqual({ kind: "new" });
  });
});

describe("the requests of a debate", () => {
  const requests = requestsOf(asked("ana", "What?"), asked("ben", "Who?", optional)).map((request) =>
    request.number === 1
      ? withAsker(request, asked("cem", "What exactly?", { ...optional, reason: "to be sure", round: 2 }))
      : request,
  );
  const answered = withResults(requests, { requestId: "ask_1", result: "42", source: "wiki" });

  it("block when a required one is open", () => {
    expect(awaitedContext(requests)).toMatchObject({ open: requests, blocking: true });
    expect(awaitedContext(answered)).toMatchObject({ open: [{ requestId: "ask_2" }], blocking: false });
  });

  it("hold up those alone who can't do without", () => {
    expect([...waitingSeats(requests)]).toEqual(["ana"]);
    expect([...waitingSeats(answered)]).toEqual([]);
  });

  it("are news to those who asked in that round, once they are answered", () => {
    expect([...seatsWithNews(answered, 1)]).toEqual(["ana"]);
    expect([...seatsWithNews(answered, 2)]).toEqual(["cem"]);
    expect([...seatsWithNews(answered, 2, "required")]).toEqual([]);
    expect([...seatsWithNews(requests, 1)]).toEqual([]);
  });

  it("are read by seats with their reasons and without their askers, and cited once they are answered", () => {
    expect(answered.map(contextItem)).toEqual([
      { label: "C1", query: "What?", reason: "ana needs it; to be sure", source: "wiki", text: "42" },
      { status: "open", query: "Who?", reason: "ben needs it", text: "Not answered yet." },
    ]);
    expect(citableContext(answered)).toEqual([{ requestId: "ask_1", label: "C1" }]);
  });

  it("show callers who asked and why, under one id by three names", () => {
    expect(answered.slice(0, 1).map(viewOfRequest)).toMatchObject([
      {
        requestId: "ask_1",
        id: "ask_1",
        askId: "ask_1",
        label: "C1",
        agentId: "ana",
        agentIds: ["ana", "cem"],
        reason: "ana needs it",
        reasons: ["ana needs it", "to be sure"],
        priority: "required",
        round: 1,
        status: "answered",
        timestamp: openedAt,
        result: "42",
        source: "wiki",
        closedAt: later,
      },
    ]);
  });
});
