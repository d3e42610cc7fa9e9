import { describe, expect, it } from "vitest";
import { runPass } from "../../src/supervision/pass.js";
import { applyChange, type Subject, segmentsOf, spokenText } from "../../src/supervision/subject.js";
import { passPorts, request, response, rules } from "./support.js";

const call = {
  toolCallId: "c1",
  server: "s",
  tool: "t",
  args: { to: "ada", nested: { list: ["x", 4111, true, null] } },
};
const reply = response(
  {
    turnId: "1",
    message: "first",
    inputTokens: 3,
    outputTokens: 4,
    toolCalls: [
      { ...call, output: "out", elapsedMs: 7 },
      { ...call, toolCallId: "c2", error: "err", elapsedMs: 8 },
    ],
  },
  { turnId: "2", message: "second", error: "warned" },
);
const pending: Subject = { ...reply, reply: { ...reply.reply, pendingToolCalls: [call] } };
const argTexts = ["to", "ada", "nested", "list", "x", "4111"];

const subjects: [string, Subject, string[]][] = [
  ["a message", request("hello"), ["hello"]],
  ["a hop", { hook: "hop", from: "a", to: "b", content: "hello" }, ["hello"]],
  ["a tool call", { hook: "tool_call", call }, argTexts],
  ["a tool result", { hook: "tool_result", call, output: "out" }, ["out"]],
  ["a reply", pending, ["first", ...argTexts, "out", ...argTexts, "err", "second", "warned", ...argTexts]],
];

describe("the texts of what is supervised", () => {
  it.each(subjects)("of %s are all that anyone could be shown", (_what, subject, expected) => {
    expect(
      segmentsOf(subject)
        .map(({ text }) => text)
        .sort(),
    ).toEqual([...expected].sort());
  });

  it.each(subjects)("of %s can each be changed, and nothing else changes with it", (_what, subject) => {
    const texts = segmentsOf(subject).map(({ text }) => text);
    expect(applyChange(subject, { kind: "segments", texts })).toEqual(subject);
    for (const index of texts.keys()) {
      const changed = applyChange(subject, { kind: "segments", texts: texts.with(index, "CHANGED") });
      const after = segmentsOf(changed).map(({ text }) => text);
      expect(after).toEqual(texts.with(index, "CHANGED"));
      expect(changed.hook).toBe(subject.hook);
    }
    expect(() => applyChange(subject, { kind: "segments", texts: texts.slice(1) })).toThrow(RangeError);
    expect(() => applyChange(subject, { kind: "segments", texts: [...texts, "x"] })).toThrow(RangeError);
  });

  it("are found under any key, __proto__ included, and stay there", () => {
    const args = JSON.parse('{"a": {"__proto__": {"card": "4111"}, "constructor": "x"}}');
    const subject: Subject = { hook: "tool_call", call: { ...call, args } };
    const texts = segmentsOf(subject).map(({ text }) => text);
    expect(texts).toEqual(["a", "__proto__", "card", "4111", "constructor", "x"]);
    const changed = applyChange(subject, { kind: "segments", texts: texts.with(3, "[card]") });
    expect(JSON.stringify(changed)).toContain('{"a":{"__proto__":{"card":"[card]"},"constructor":"x"}}');
  });

  it("keep a number a number unless it is changed", () => {
    const subject: Subject = { hook: "tool_call", call: { ...call, args: { card: 4111, seats: 2 } } };
    const changed = applyChange(subject, { kind: "segments", texts: ["card", "[card]", "seats", "2"] });
    expect(changed).toMatchObject({ call: { args: { card: "[card]", seats: 2 } } });
  });

  it("are spoken or data; a judge reads what is spoken", () => {
    expect(spokenText(pending)).toBe("first\nsecond");
    expect(spokenText(request("hello"))).toBe("hello");
  });
});

describe("one text in place of what was said", () => {
  it("keeps tool calls, results, token counts, errors and pending calls of a reply", () => {
    const changed = applyChange(pending, { kind: "content", content: "new" });
    expect(spokenText(changed)).toBe("new");
    const { message: _, ...kept } = reply.reply.turns[0] ?? { turnId: "" };
    expect(changed).toMatchObject({
      reply: { turns: [kept, { turnId: "2", message: "new", error: "warned" }], pendingToolCalls: [call] },
    });
    expect(applyChange(response(), { kind: "content", content: "new" })).toMatchObject({
      reply: { turns: [{ message: "new" }] },
    });
  });

  it("is JSON for the arguments of a call, and refused where it isn't", () => {
    const subject: Subject = { hook: "tool_call", call };
    expect(applyChange(subject, { kind: "content", content: '{"a":1}' })).toMatchObject({ call: { args: { a: 1 } } });
    for (const content of ["nonsense", "[1]", '"x"']) {
      expect(() => applyChange(subject, { kind: "content", content })).toThrow(RangeError);
    }
    expect(
      applyChange<Subject>({ hook: "tool_result", call, output: "a" }, { kind: "content", content: "b" }),
    ).toMatchObject({
      output: "b",
    });
    expect(
      applyChange<Subject>({ hook: "hop", from: "a", to: "b", content: "a" }, { kind: "content", content: "b" }),
    ).toMatchObject({
      content: "b",
    });
  });
});

describe("rules over a reply", () => {
  const redact = rules("r", [
    {
      match: { type: "phrases", phrases: ["top secret", "4111"] },
      action: "redact",
      replacement: "***",
      reason: "secret",
    },
  ]);

  it("find what is in arguments, outputs and errors, and keep the structure", async () => {
    const secretive = response({
      turnId: "1",
      message: "here",
      toolCalls: [
        { ...call, output: "top secret file", elapsedMs: 7 },
        { ...call, toolCallId: "c2", error: "no top secret", elapsedMs: 8 },
      ],
    });
    const { subject, state } = await runPass(secretive, [redact], passPorts());
    expect(state.decision).toBe("modify");
    expect(subject).toMatchObject({
      reply: {
        turns: [
          {
            message: "here",
            toolCalls: [
              {
                toolCallId: "c1",
                output: "*** file",
                elapsedMs: 7,
                args: { to: "ada", nested: { list: ["x", "***", true, null] } },
              },
              { toolCallId: "c2", error: "no ***" },
            ],
          },
        ],
      },
    });
  });

  it("find what is split over two turns of it", async () => {
    const { subject } = await runPass(
      response({ turnId: "1", message: "it is top" }, { turnId: "2", message: "secret, you know" }),
      [redact],
      passPorts(),
    );
    expect(spokenText(subject)).toBe("it is ***\n, you know");
  });
});
