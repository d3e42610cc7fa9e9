import { describe, expect, it } from "vitest";
import { unsettledReason } from "../../../src/supervision/rules/outcome.js";
import { rulesOf } from "./support.js";

const phrase = (text: string, action: string, rest: object = {}) => {
  return { match: { type: "phrases", phrases: [text] }, action, reason: `${action} ${text}`, ...rest };
};

/** The text that edits make of another. */
function edited(text: string, edits: readonly { start: number; end: number; replacement: string }[]): string {
  return edits
    .toReversed()
    .reduce((now, { start, end, replacement }) => now.slice(0, start) + replacement + now.slice(end), text);
}

describe("judging", () => {
  it("allows a text that no rule has to do with", () => {
    expect(rulesOf(phrase("x", "block")).judge("abc")).toEqual({
      action: "allow",
      reasons: [],
      rules: [],
      edits: [],
      text: "abc",
    });
  });

  it("takes the strictest action, keeps every reason in the rules' order, and edits what is blocked too", () => {
    const rules = rulesOf(
      phrase("one", "review"),
      phrase("two", "redact"),
      phrase("three", "block"),
      phrase("four", "block"),
    );
    expect(rules.judge("three two one")).toEqual({
      action: "block",
      reasons: ["review one", "redact two", "block three"],
      rules: ["1", "2", "3"],
      edits: [{ start: 6, end: 9, replacement: "[redacted]", reason: "redact two" }],
      text: "three [redacted] one",
    });
    expect(rules.judge("two one").action).toBe("review");
    expect(rules.judge("two").action).toBe("modify");
  });

  it("gives edits at offsets of the text it was given, with what cannot be seen in it", () => {
    const text = "😀 sec\u200bret ｓｅｃｒｅｔ!";
    const { edits } = rulesOf(phrase("secret", "replace", { replacement: "*" })).judge(text);
    expect(edits.map(({ start, end }) => text.slice(start, end))).toEqual(["sec\u200bret", "ｓｅｃｒｅｔ"]);
    expect(edited(text, edits)).toBe("😀 * *!");
  });

  it("makes one edit of what overlaps, by the longest match, with all reasons", () => {
    const rules = rulesOf(
      phrase("alpha beta", "redact", { replacement: "[1]" }),
      phrase("beta gamma delta", "redact", { replacement: "[2]" }),
    );
    expect(rules.judge("x alpha beta gamma delta y").edits).toEqual([
      { start: 2, end: 24, replacement: "[2]", reason: "redact alpha beta; redact beta gamma delta" },
    ]);
    expect(rules.judge("alpha betabeta gamma delta").text).toBe("[1][2]");
  });

  it("of matches that are equal, takes the rule that comes first", () => {
    const rules = rulesOf(phrase("abc", "redact", { replacement: "1" }), phrase("abc", "redact", { replacement: "2" }));
    expect(rules.judge("abc").text).toBe("1");
  });

  it("looks at the edited text again, and then gives one edit that makes the same", () => {
    const rules = rulesOf(phrase("xyz", "redact", { replacement: "" }), phrase("secret", "redact"));
    const text = "😀 a secxyzret b 😁";
    const judged = rules.judge(text);
    expect(judged).toMatchObject({
      action: "modify",
      reasons: ["redact xyz", "redact secret"],
      text: "😀 a [redacted] b 😁",
    });
    expect(judged.edits).toHaveLength(1);
    expect(edited(text, judged.edits)).toBe(judged.text);
  });

  it("blocks what an edit makes, if it is to be blocked", () => {
    const rules = rulesOf(phrase("xyz", "redact", { replacement: "" }), phrase("secret", "block"));
    expect(rules.judge("secxyzret")).toMatchObject({ action: "block", text: "secret" });
  });

  it("blocks a text that does not settle", () => {
    const rules = rulesOf(
      phrase("ping", "replace", { replacement: "pong" }),
      phrase("pong", "replace", { replacement: "ping" }),
    );
    expect(rules.judge("ping")).toMatchObject({
      action: "block",
      reasons: ["replace ping", "replace pong", unsettledReason],
    });
  });

  it("gives the same when judging again what it made", () => {
    const rules = rulesOf(
      { match: { type: "personalData" }, action: "redact", reason: "private" },
      { match: { type: "secrets" }, action: "redact", reason: "secret" },
      phrase("acme", "replace", { replacement: "us" }),
      { match: { type: "length", max: 60 }, action: "redact", replacement: "…", reason: "long" },
    );
    const { text } = rules.judge(
      "Acme: a@b.co, password: hunter22, call +44 20 7946 0958, or write to acme. And so on and on.",
    );
    expect(text).toBe("us: [email], password: [secret], call [phone], or write to …");
    expect(rules.judge(text)).toEqual({ action: "allow", reasons: [], rules: [], edits: [], text });
  });

  it("does not mind halves of surrogate pairs and odd characters", () => {
    const rules = rulesOf(phrase("b", "redact", { replacement: "" }));
    expect(rules.judge("a\ud800b\udc00\u0000").text).toBe("a\ud800\udc00\u0000");
    expect(rules.judge("").action).toBe("allow");
  });
});
