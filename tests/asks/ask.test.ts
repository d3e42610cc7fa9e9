import { describe, expect, it } from "vitest";
import {
  type Ask,
  type AskRequest,
  answerAsk,
  askOwner,
  cancelAsk,
  expireAsk,
  keyRoles,
  openAsk,
  roles,
} from "../../src/asks/ask.js";

const now = Date.UTC(2030, 0, 1);
const request: AskRequest = { kind: "human", question: "Which?", raisedBy: { type: "turn", id: "trn_1" } };
const open = (more: Partial<AskRequest> = {}): Ask => openAsk("ask_1", { ...request, ...more }, now);

describe("an ask", () => {
  it("opens with the defaults, and with a deadline only where one was asked for", () => {
    expect(open()).toEqual({
      askId: "ask_1",
      kind: "human",
      question: "Which?",
      priority: "normal",
      raisedBy: { type: "turn", id: "trn_1" },
      answerableBy: "client",
      status: "open",
      openedAt: "2030-01-01T00:00:00.000Z",
    });
    expect(open({ timeoutMs: 0 }).deadline).toBeUndefined();
    expect(open({ timeoutMs: 60_000 }).deadline).toBe("2030-01-01T00:01:00.000Z");
  });

  it.each([
    ["human", { response: "Rome" }],
    ["context", { result: "text", source: "a file" }],
    ["context", { error: "not found" }],
    ["approval", { decision: "session" }],
    ["review", { decision: "reject" }],
    ["review", { decision: "edit", content: "better" }],
  ] as const)("of kind %s takes %j", (kind, said) => {
    expect(answerAsk(open({ kind }), said, "client", now)).toMatchObject({
      kind: "accepted",
      ask: { status: "answered", answer: said, closedAt: "2030-01-01T00:00:00.000Z" },
    });
  });

  it.each([
    ["human", {}, ["response"]],
    ["human", { response: "" }, ["response"]],
    ["human", { response: "x", more: 1 }, ["more"]],
    ["context", {}, [""]],
    ["context", { result: "x", error: "y" }, [""]],
    ["approval", { decision: "maybe" }, ["decision"]],
    ["review", { decision: "edit" }, ["content"]],
    ["review", { decision: "accept", content: "x" }, ["content"]],
    ["review", "accept", [""]],
  ] as const)("of kind %s refuses %j, and says where", (kind, said, paths) => {
    const ask = open({ kind });
    const outcome = answerAsk(ask, said, "client", now);
    expect(outcome.kind).toBe("invalid");
    expect(outcome.kind === "invalid" && outcome.issues.map(({ path }) => path)).toEqual(paths);
  });

  const two = { suggestions: ["The invoice", "The app"] };
  it.each([
    [{ accepts: "yes_no" }, "Yes", "yes"],
    [{ accepts: "yes_no" }, " no ", "no"],
    [{ accepts: "suggestions", ...two }, "the app", "The app"],
    [{ accepts: "text", ...two }, "something else", "something else"],
    [two, "something else", "something else"],
    [{ accepts: "suggestions" }, "nothing to choose from", "nothing to choose from"],
  ] as const)("that accepts %j takes %j as %j", (more, response, stored) => {
    const answered = answerAsk(open(more), { response }, "client", now);
    expect(answered).toMatchObject({ kind: "accepted", ask: { answer: { response: stored } } });
    // Spelt otherwise it is the same answer.
    if (answered.kind !== "accepted") return;
    expect(answerAsk(answered.ask, { response: response.toUpperCase() }, "client", now).kind).toBe(
      response === stored ? "already_closed" : "same",
    );
  });

  it.each([
    [{ accepts: "yes_no" }, "maybe", 'answer with one of: "yes", "no"'],
    [{ accepts: "suggestions", ...two }, "both", 'answer with one of: "The invoice", "The app"'],
  ] as const)("that accepts %j refuses %j, and says what it takes", (more, response, message) => {
    const issues = [{ path: "response", message }];
    expect(answerAsk(open(more), { response }, "client", now)).toEqual({ kind: "invalid", issues });
  });

  it("may be answered by its role and those above", () => {
    for (const needs of keyRoles) {
      for (const by of roles) {
        const may = roles.indexOf(by) >= roles.indexOf(needs);
        const outcome = answerAsk(open({ answerableBy: needs }), { response: "x" }, by, now);
        expect(outcome, `${by} for ${needs}`).toMatchObject(may ? { kind: "accepted" } : { kind: "forbidden", needs });
      }
    }
  });

  it("keeps the first answer, knows it again in any order of fields, and refuses another", () => {
    const first = answerAsk(open({ kind: "context" }), { result: "a", source: "b" }, "client", now);
    if (first.kind !== "accepted") throw new Error(first.kind);
    expect(answerAsk(first.ask, { source: "b", result: "a" }, "client", now + 9)).toEqual({
      kind: "same",
      ask: first.ask,
    });
    expect(answerAsk(first.ask, { result: "a" }, "client", now)).toEqual({ kind: "already_closed", ask: first.ask });
  });

  it("expires at its deadline and not before, with its default if it has one", () => {
    const ask = open({ timeoutMs: 10, defaultResponse: { response: "any" } });
    expect(expireAsk(ask, now + 9)).toBe(ask);
    expect(expireAsk(ask, now + 10)).toMatchObject({ status: "expired", answer: { response: "any" } });
    expect(expireAsk(open({ timeoutMs: 10 }), now + 10)).not.toHaveProperty("answer");
    expect(expireAsk(open(), now + 1e12).status).toBe("open");
    expect(answerAsk(ask, { response: "late" }, "client", now + 10)).toMatchObject({
      kind: "already_closed",
      ask: { status: "expired" },
    });
    // The default is no answer that a person gave: saying the same later isn't the same.
    expect(answerAsk(ask, { response: "any" }, "client", now + 10).kind).toBe("already_closed");
  });

  it("is closed once", () => {
    const cancelled = cancelAsk(open(), now);
    expect(cancelled).toMatchObject({ status: "cancelled" });
    expect(cancelAsk(cancelled, now + 1)).toBe(cancelled);
    expect(expireAsk({ ...cancelled, deadline: "2029-01-01T00:00:00.000Z" }, now).status).toBe("cancelled");
    expect(answerAsk(cancelled, { response: "x" }, "admin", now).kind).toBe("already_closed");
  });

  it("says by its id whose it is", () => {
    const ulid = "01k00000000000000000000000";
    expect(askOwner(`ask_${ulid}_ses_${ulid}`)).toBe(`ses_${ulid}`);
    for (const other of ["", "ask_1", `ask_${ulid}`, `ask_${ulid}_ses_${ulid}/x`, `x_ask_${ulid}_ses_${ulid}`]) {
      expect(askOwner(other)).toBeUndefined();
    }
  });
});
