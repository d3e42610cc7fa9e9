import { describe, expect, it } from "vitest";
import {
  type Answerer,
  type Ask,
  type AskRequest,
  answerAsk,
  askOwner,
  cancelAsk,
  expireAsk,
  openAsk,
  type Role,
  storedAskSchema,
} from "../../src/asks/ask.js";
import type { AskWork } from "../../src/asks/origin.js";
import { askShownTo } from "../../src/asks/views.js";
import { defined } from "../../src/conversation/defined.js";

const now = Date.UTC(2030, 0, 1);
const work: AskWork = { sessionId: "ses_1", turnId: "trn_1", subject: "ada", agent: "support", message: "Help!" };
const as = (role: Role, subject?: string): Answerer => ({
  by: {
    kind: role === "user" ? "token" : "key",
    id: `key_${role}`,
    role,
    ...defined({ subject }),
  },
  asStaff: role === "operator" || role === "admin",
});
const request: AskRequest = { kind: "human", question: "Which?", source: { agent: "assistant" } };
const open = (more: Partial<AskRequest> = {}): Ask => openAsk("ask_1", { ...request, ...more }, work, now);

describe("an ask", () => {
  it("opens with the defaults, and with a deadline only where one was asked for", () => {
    expect(open()).toEqual({
      askId: "ask_1",
      kind: "human",
      question: "Which?",
      priority: "normal",
      from: {
        sessionId: "ses_1",
        turnId: "trn_1",
        subject: "ada",
        agent: "assistant",
        about: { message: "Help!" },
      },
      audience: "user",
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
    expect(answerAsk(open({ kind }), said, as("client"), now)).toMatchObject({
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
    const outcome = answerAsk(ask, said, as("client"), now);
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
    const answered = answerAsk(open(more), { response }, as("client"), now);
    expect(answered).toMatchObject({ kind: "accepted", ask: { answer: { response: stored } } });
    // Spelt otherwise it is the same answer.
    if (answered.kind !== "accepted") return;
    expect(answerAsk(answered.ask, { response: response.toUpperCase() }, as("client"), now).kind).toBe(
      response === stored ? "already_closed" : "same",
    );
  });

  it.each([
    [{ accepts: "yes_no" }, "maybe", 'answer with one of: "yes", "no"'],
    [{ accepts: "suggestions", ...two }, "both", 'answer with one of: "The invoice", "The app"'],
  ] as const)("that accepts %j refuses %j, and says what it takes", (more, response, message) => {
    const issues = [{ path: "response", message }];
    expect(answerAsk(open(more), { response }, as("client"), now)).toEqual({ kind: "invalid", issues });
  });

  it.each([
    ["user", as("client"), true],
    ["user", as("operator"), true],
    ["user", as("admin"), true],
    ["user", as("user", "ada"), true],
    ["user", as("user", "bob"), false],
    ["user", { by: { kind: "agent", id: "assistant" }, asStaff: false }, false],
    ["staff", as("client"), false],
    ["staff", { ...as("client"), asStaff: true }, true],
    ["staff", as("user", "ada"), false],
    ["staff", as("operator"), true],
    ["staff", as("admin"), true],
  ] as const)("for %s is answered by %j: %s", (audience, by, may) => {
    const ask = open({ audience, proposal: "a draft" });
    expect(answerAsk(ask, { response: "x" }, by, now).kind).toBe(may ? "accepted" : "forbidden");
    expect("proposal" in askShownTo(ask, by)).toBe(may);
  });

  it("holds no more of the message than its reader needs", () => {
    const ask = openAsk("ask_1", request, { runId: "run_1", message: "x".repeat(5_000) }, now);
    expect(ask.from.about.message).toHaveLength(2_002);
  });

  it("says who closed it: the key that answered, who cancelled, or its deadline", () => {
    const answered = answerAsk(open(), { response: "x" }, as("client"), now);
    expect(answered).toMatchObject({ ask: { closedBy: { kind: "key", id: "key_client", role: "client" } } });
    expect(cancelAsk(open(), { kind: "system", id: "trn_1" }, now).ask.closedBy).toEqual({
      kind: "system",
      id: "trn_1",
    });
    expect(expireAsk(open({ timeoutMs: 1 }), now + 1).closedBy).toEqual({ kind: "deadline", id: "ask_1" });
  });

  it("of the version before is read: its least role is an audience, its id says whose it is", () => {
    const ulid = "01k00000000000000000000000";
    const { from: _, audience: __, ...rest } = open();
    const former = (answerableBy: string, raisedBy = { type: "tool_call", id: "msg_1.0.0" }) =>
      storedAskSchema.parse({ ...rest, askId: `ask_${ulid}_ses_${ulid}`, raisedBy, answerableBy });
    expect(former("client")).toMatchObject({
      audience: "user",
      from: { sessionId: `ses_${ulid}`, toolCallId: "msg_1.0.0", about: {} },
    });
    expect(former("operator", { type: "turn", id: "trn_1" })).toMatchObject({
      audience: "staff",
      from: { turnId: "trn_1" },
    });
    expect(former("admin").audience).toBe("staff");
  });

  it("keeps the first answer, knows it again in any order of fields, and refuses another", () => {
    const first = answerAsk(open({ kind: "context" }), { result: "a", source: "b" }, as("client"), now);
    if (first.kind !== "accepted") throw new Error(first.kind);
    expect(answerAsk(first.ask, { source: "b", result: "a" }, as("client"), now + 9)).toEqual({
      kind: "same",
      ask: first.ask,
    });
    expect(answerAsk(first.ask, { result: "a" }, as("client"), now)).toEqual({
      kind: "already_closed",
      ask: first.ask,
    });
  });

  it("expires at its deadline and not before, with its default if it has one", () => {
    const ask = open({ timeoutMs: 10, defaultResponse: { response: "any" } });
    expect(expireAsk(ask, now + 9)).toBe(ask);
    expect(expireAsk(ask, now + 10)).toMatchObject({ status: "expired", answer: { response: "any" } });
    expect(expireAsk(open({ timeoutMs: 10 }), now + 10)).not.toHaveProperty("answer");
    expect(expireAsk(open(), now + 1e12).status).toBe("open");
    expect(answerAsk(ask, { response: "late" }, as("client"), now + 10)).toMatchObject({
      kind: "already_closed",
      ask: { status: "expired" },
    });
    // The default is no answer that a person gave: saying the same later isn't the same.
    expect(answerAsk(ask, { response: "any" }, as("client"), now + 10).kind).toBe("already_closed");
  });

  it("is closed once", () => {
    const canceller = { kind: "key", id: "key_1" } as const;
    const { ask: cancelled } = cancelAsk(open(), canceller, now);
    expect(cancelled).toMatchObject({ status: "cancelled" });
    expect(cancelAsk(cancelled, canceller, now + 1)).toEqual({ kind: "same", ask: cancelled });
    expect(expireAsk({ ...cancelled, deadline: "2029-01-01T00:00:00.000Z" }, now).status).toBe("cancelled");
    expect(answerAsk(cancelled, { response: "x" }, as("admin"), now).kind).toBe("already_closed");
  });

  it("that was answered, or has expired, isn't cancelled any more", () => {
    const answered = answerAsk(open(), { response: "x" }, as("client"), now);
    const canceller = { kind: "key", id: "key_1" } as const;
    if (answered.kind !== "accepted") throw new Error(answered.kind);
    expect(cancelAsk(answered.ask, canceller, now)).toEqual({ kind: "already_closed", ask: answered.ask });
    expect(cancelAsk(open({ timeoutMs: 1 }), canceller, now + 1)).toMatchObject({
      kind: "already_closed",
      ask: { status: "expired" },
    });
  });

  it("says by its id whose it is", () => {
    const ulid = "01k00000000000000000000000";
    expect(askOwner(`ask_${ulid}_ses_${ulid}`)).toBe(`ses_${ulid}`);
    for (const other of ["", "ask_1", `ask_${ulid}`, `ask_${ulid}_ses_${ulid}/x`, `x_ask_${ulid}_ses_${ulid}`]) {
      expect(askOwner(other)).toBeUndefined();
    }
  });
});
