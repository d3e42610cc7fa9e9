import { describe, expect, it } from "vitest";
import { applyResults, type ContextResult, readResult } from "../../src/roundtable/context-results.js";
import { asked, later, requestsOf, withResults } from "./support.js";

const requestId = "ask_1";
const result = { requestId, kind: "result", result: "42" };

describe("a context result", () => {
  it.each<[string, ContextResult, object]>([
    ["the type's shape", { requestId, success: true, result: "42" }, result],
    ["the example's shape", { requestId, content: "42", source: "wiki" }, { ...result, source: "wiki" }],
    ["the id of the type", { id: requestId, result: "42" }, result],
    ["both ids, alike", { id: requestId, requestId, result: "42" }, result],
    ["both texts, alike", { requestId, result: "42", content: "42" }, result],
    ["nothing in what isn't said", { requestId, result: "42", error: null, source: null, success: null }, result],
    ["an empty error", { requestId, result: "42", error: "" }, result],
    ["a failure", { requestId, success: false, error: "No access." }, { kind: "unavailable", error: "No access." }],
    ["an error alone", { requestId, error: "No access." }, { kind: "unavailable", error: "No access." }],
    [
      "a failure without a reason",
      { requestId, success: false },
      { kind: "unavailable", error: "It could not be had." },
    ],
    ["an empty text", { requestId, content: " " }, { kind: "unavailable", error: "It could not be found." }],
    ["success with an empty text", { requestId, success: true, result: "" }, { kind: "unavailable" }],
  ])("is read in %s", (_shape, item, expected) => {
    expect(readResult(item)).toMatchObject({ requestId, ...expected });
  });

  it.each<[string, ContextResult]>([
    ["success with an error", { requestId, success: true, result: "42", error: "No access." }],
    ["a result with an error", { requestId, result: "42", error: "No access." }],
    ["a failure with a result", { requestId, success: false, result: "42" }],
    ["two different texts", { requestId, result: "42", content: "43" }],
    ["two different ids", { requestId, id: "ask_2", result: "42" }],
    ["neither a result nor an error", { requestId }],
    ["success and nothing else", { requestId, success: true }],
    ["no request", { result: "42" }],
  ])("is contradictory with %s", (_what, item) => {
    expect(readResult(item)).toMatchObject({ kind: "contradictory", detail: expect.stringMatching(/./) });
  });
});

describe("results of a debate", () => {
  const requests = requestsOf(asked("ana", "What?"), asked("ben", "Who?"));
  const running = { ended: false, now: later };
  const closed = (status: "skipped" | "withdrawn" | "expired") => requests.map((request) => ({ ...request, status }));

  it("answer what they are for, each by itself", () => {
    const items = [
      { requestId: "ask_1", content: "42", source: "wiki" },
      { requestId: "ask_2", success: false, error: "No access." },
      { requestId: "ask_of_another_debate", result: "x" },
      { requestId: "ask_1", success: true, error: "No." },
    ];
    const applied = applyResults(requests, items, running);
    expect(applied.outcomes.map(({ outcome }) => outcome)).toEqual([
      "accepted",
      "accepted",
      "unknown",
      "contradictory",
    ]);
    expect(applied.accepted).toMatchObject([
      { requestId: "ask_1", status: "answered", result: "42", source: "wiki", closedAt: later },
      { requestId: "ask_2", status: "unavailable", error: "No access.", closedAt: later },
    ]);
  });

  it("change nothing when they come twice, and are refused when they say something else", () => {
    const once = withResults(requests, { requestId: "ask_1", result: "42" });
    expect(applyResults(once, [{ requestId: "ask_1", content: "42" }], running)).toEqual({
      outcomes: [{ requestId: "ask_1", outcome: "same" }],
      accepted: [],
    });
    for (const other of [{ content: "43" }, { error: "No access." }, { content: "" }]) {
      expect(applyResults(once, [{ requestId: "ask_1", ...other }], running)).toMatchObject({
        outcomes: [{ outcome: "conflict" }],
        accepted: [],
      });
    }
  });

  it("are decided by the first one, within one call too", () => {
    const items = ["42", "42", "43"].map((content) => ({ requestId: "ask_1", content }));
    const { outcomes, accepted } = applyResults(requests, items, running);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["accepted", "same", "conflict"]);
    expect(accepted).toMatchObject([{ result: "42" }]);
  });

  it.each(["skipped", "withdrawn", "expired"] as const)("are accepted late, after their request was %s", (status) => {
    const { outcomes, accepted } = applyResults(closed(status), [{ requestId: "ask_1", result: "42" }], running);
    expect(outcomes).toMatchObject([{ outcome: "accepted", detail: expect.stringContaining(`it was ${status}`) }]);
    expect(accepted).toMatchObject([{ status: "answered", result: "42" }]);
  });

  it("come too late once the debate has ended", () => {
    const ended = { ended: true, now: later };
    expect(applyResults(closed("withdrawn"), [{ requestId: "ask_1", result: "42" }], ended)).toMatchObject({
      outcomes: [{ outcome: "withdrawn" }],
      accepted: [],
    });
  });
});
