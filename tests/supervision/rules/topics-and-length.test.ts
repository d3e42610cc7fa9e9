import { describe, expect, it } from "vitest";
import { rulesOf } from "./support.js";

const topics = (list: object, rest: object = { action: "block" }) =>
  rulesOf({ match: { type: "topics", ...list }, reason: "topic", ...rest });

describe("denied topics", () => {
  it.each([
    ["stock tips", "Any TIPS for which stocks to buy?"],
    ["medical advice", "I need some advice, medically no: medical."],
    ["política", "Hablemos de politica"],
    ["weapon", "weapons"],
    ["buy drug", "buying drugs online"],
    ["policy", "our policies"],
    ["teach children", "she taught a child"],
    ["Waffe", "Wo kaufe ich Waffen?"],
    ["Rechnung", "alle Rechnungen"],
    ["株価", "今日の株価は？"],
  ])("%s: %s", (topic, text) => expect(topics({ deny: [topic] }).judge(text).action).toBe("block"));

  it.each([
    ["stock tips", "a stock of paper"],
    ["war", "warm software awards"],
    ["bus", "business"],
  ])("not %s: %s", (topic, text) => expect(topics({ deny: [topic] }).judge(text).action).toBe("allow"));
});

describe("allowed topics", () => {
  it("are broken by a text about none of them", () => {
    const rules = topics({ allow: ["billing", "delivery times"] });
    expect(rules.judge("When is my delivery? What time?").action).toBe("allow");
    expect(rules.judge("A question on bills: billing")).toMatchObject({ action: "allow" });
    expect(rules.judge("Tell me a joke")).toMatchObject({ action: "block", reasons: ["topic"] });
  });

  it("replace the whole text when they edit", () => {
    const judged = topics({ allow: ["billing"] }, { action: "replace", replacement: "I only know bills." }).judge(
      "Tell me a joke",
    );
    expect(judged).toEqual({
      action: "modify",
      reasons: ["topic"],
      rules: ["1"],
      edits: [{ start: 0, end: 14, replacement: "I only know bills.", reason: "topic" }],
      text: "I only know bills.",
    });
  });
});

describe("length", () => {
  const length = (max: number, rest: object) =>
    rulesOf({ match: { type: "length", max }, reason: "too long", ...rest });

  it("blocks or holds a text with more UTF-16 code units", () => {
    expect(length(3, { action: "block" }).judge("abc").action).toBe("allow");
    expect(length(3, { action: "block" }).judge("abcd")).toMatchObject({
      action: "block",
      reasons: ["too long"],
      text: "abcd",
    });
    expect(length(3, { action: "review" }).judge("😀😀").action).toBe("review");
  });

  it("cuts a text to what it may have, with the replacement as its end", () => {
    expect(length(3, { action: "redact" }).judge("abcde")).toMatchObject({
      action: "modify",
      text: "abc",
      edits: [{ start: 3, end: 5, replacement: "", reason: "too long" }],
    });
    expect(length(3, { action: "replace", replacement: "…" }).judge("abcde").text).toBe("ab…");
    expect(length(3, { action: "redact" }).judge("a😀😀").text).toBe("a😀");
    expect(length(2, { action: "redact" }).judge("a😀😀").text).toBe("a");
  });

  it("counts what the other rules leave", () => {
    const rules = rulesOf(
      { match: { type: "length", max: 20 }, action: "block", reason: "too long" },
      { match: { type: "personalData" }, action: "redact", reason: "private" },
    );
    expect(rules.judge("to someone.with.a.name@example.com")).toMatchObject({ action: "modify", text: "to [email]" });
  });
});
