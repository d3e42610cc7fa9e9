import { describe, expect, it } from "vitest";
import { answerInWords, isAnsweredByMessage } from "../../src/asks/answer-in-words.js";
import { answerAsk, askKinds, openAsk } from "../../src/asks/ask.js";
import { admit } from "../../src/chat/session.js";

const now = Date.parse("2027-01-01T00:00:00Z");
const ask = (kind: (typeof askKinds)[number]) => openAsk("ask_1", { kind, question: "?", source: {} }, {}, now);
const operator = { by: { kind: "key" as const, id: "key_1" }, asStaff: true };

describe("a text as an answer", () => {
  it.each([
    ["human", "Number 7.", { response: "Number 7." }],
    ["context", "5 million", { result: "5 million" }],
    ["approval", " Yes. ", { decision: "once" }],
    ["approval", "session", { decision: "session" }],
    ["approval", "No!", { decision: "deny" }],
    ["review", "ok", { decision: "accept" }],
    ["review", "reject", { decision: "reject" }],
    ["approval", "Let me think.", undefined],
    ["review", "constructor", undefined],
  ] as const)("to a %s, %j, is %j", (kind, text, answer) => {
    expect(answerInWords({ kind }, text)).toEqual(answer);
  });

  it.each(askKinds)("answers a %s as {response}, and the same again is the same", (kind) => {
    const given = { response: "yes" };
    const first = answerAsk(ask(kind), given, operator, now);
    expect(first).toMatchObject({ kind: "accepted", ask: { answer: answerInWords({ kind }, "yes") } });
    if (first.kind !== "accepted") return;
    expect(answerAsk(first.ask, given, operator, now)).toMatchObject({ kind: "same" });
  });

  it("that decides nothing doesn't fit", () => {
    expect(answerAsk(ask("approval"), { response: "hm" }, operator, now)).toMatchObject({ kind: "invalid" });
  });
});

describe("the next message of a user", () => {
  it.each([
    ["human", "user", true],
    ["context", "user", true],
    ["context", "staff", false],
    ["approval", "user", false],
    ["review", "user", false],
  ] as const)("answers a %s for %s: %s", (kind, audience, isAnswer) => {
    expect(isAnsweredByMessage({ kind, audience })).toBe(isAnswer);
    const openAsks = [{ askId: "ask_1", kind, audience }];
    expect(admit({ whileWaiting: "answer", queued: 0, openAsks })).toEqual({
      ok: true,
      value: isAnswer ? { kind: "answer", askId: "ask_1" } : { kind: "queue" },
    });
  });
});
