import { describe, expect, it } from "vitest";
import { rulesConfigSchema } from "../../../src/supervision/rules/config.js";
import { rulesLimits } from "../../../src/supervision/rules/rule-config.js";

const rule = (match: object, rest: object = {}) => ({ match, action: "block", reason: "why", ...rest });

/** The paths and messages of a configuration's issues. */
function issuesOf(...rules: object[]): string[] {
  const parsed = rulesConfigSchema.safeParse({ rules });
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("a rules configuration", () => {
  it("may have rules of every kind", () => {
    const matches = [
      { type: "phrases", phrases: ["a b"], caseSensitive: true, wholeWords: true },
      { type: "pattern", pattern: "a|b", flags: "ims" },
      { type: "personalData" },
      { type: "personalData", kinds: ["email", "phone", "card", "iban", "nationalId"] },
      { type: "secrets" },
      { type: "injection", sensitivity: "high" },
      { type: "length", max: 10 },
      { type: "topics", allow: ["billing"] },
      { type: "topics", deny: ["stock tips"] },
    ];
    expect(issuesOf(...matches.map((match) => rule(match)))).toEqual([]);
  });

  it.each([
    ["an unknown kind", rule({ type: "mood" }), "rules.0.match.type"],
    ["an unknown property", rule({ type: "secrets", kinds: [] }), "rules.0.match"],
    ["an unknown action", rule({ type: "secrets" }, { action: "warn" }), "rules.0.action"],
    ["no reason", { match: { type: "secrets" }, action: "block" }, "rules.0.reason"],
    ["no phrase", rule({ type: "phrases", phrases: [] }), "rules.0.match.phrases"],
    [
      "a phrase of nothing that shows",
      rule({ type: "phrases", phrases: ["ok", " \u200b "] }),
      "rules.0.match.phrases.1",
    ],
    ["an unknown flag", rule({ type: "pattern", pattern: "a", flags: "g" }), "rules.0.match.flags"],
    ["a flag twice", rule({ type: "pattern", pattern: "a", flags: "ii" }), "rules.0.match.flags"],
    ["an unknown kind of personal data", rule({ type: "personalData", kinds: ["name"] }), "rules.0.match.kinds.0"],
    ["a length below nothing", rule({ type: "length", max: -1 }), "rules.0.match.max"],
    ["topics neither allowed nor denied", rule({ type: "topics" }), "rules.0.match"],
    ["topics both allowed and denied", rule({ type: "topics", allow: ["a"], deny: ["b"] }), "rules.0.match"],
    ["a topic without a word", rule({ type: "topics", deny: ["…"] }), "rules.0.match.deny.0"],
    ["replace without a replacement", rule({ type: "secrets" }, { action: "replace" }), "rules.0.replacement"],
    ["block with a replacement", rule({ type: "secrets" }, { replacement: "x" }), "rules.0.replacement"],
    [
      "an ending longer than the text may be",
      rule({ type: "length", max: 2 }, { action: "redact", replacement: "..." }),
      "rules.0.replacement",
    ],
  ])("may not have %s", (_what, broken, path) => {
    expect(issuesOf(broken)).toContainEqual(expect.stringMatching(`^${path.replaceAll(".", "\\.")}: `));
  });

  it.each([
    ["(unclosed", /missing closing \)/],
    ["a(?=b)", /no look-around/],
    ["(a)\\1", /no back-references/],
    ["[z-a]", /invalid character class range/],
    ["a**", /invalid nested repetition/],
    ["(?:abcdefgh){700}", /too large/],
  ])("says what is wrong with the pattern %s", (pattern, message) => {
    const issues = issuesOf(rule({ type: "secrets" }), rule({ type: "pattern", pattern }));
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatch(/^rules\.1\.match\.pattern: /);
    expect(issues[0]).toMatch(message);
  });

  it("may not have a rule that matches its own replacement, which would never settle", () => {
    const redacting = { action: "redact" };
    expect(issuesOf(rule({ type: "pattern", pattern: "\\w+" }, redacting))).toEqual([
      expect.stringContaining('rules.0.replacement: the rule matches its own replacement "[redacted]"'),
    ]);
    expect(
      issuesOf(rule({ type: "phrases", phrases: ["damn"] }, { action: "replace", replacement: "(Damn!)" })),
    ).toHaveLength(1);
    expect(issuesOf(rule({ type: "pattern", pattern: "\\w+" }, { ...redacting, replacement: "***" }))).toEqual([]);
  });

  it("has limits", () => {
    const phrase = "p".repeat(rulesLimits.phraseLength);
    const phrases = (count: number) => rule({ type: "phrases", phrases: Array(count).fill(phrase) });
    const many = (count: number, match: object) => Array.from({ length: count }, () => rule(match));
    expect(issuesOf(phrases(rulesLimits.allPhrasesLength / rulesLimits.phraseLength))).toEqual([]);
    expect(issuesOf(phrases(101))).toHaveLength(1);
    expect(issuesOf(rule({ type: "phrases", phrases: Array(rulesLimits.phrases + 1).fill("a") }))).toHaveLength(1);
    expect(issuesOf(rule({ type: "phrases", phrases: [`${phrase}p`] }))).toHaveLength(1);
    expect(issuesOf(rule({ type: "pattern", pattern: "a".repeat(rulesLimits.patternLength + 1) }))).toHaveLength(1);
    expect(issuesOf(...many(rulesLimits.patterns + 1, { type: "pattern", pattern: "a" }))).toHaveLength(1);
    expect(issuesOf(...many(rulesLimits.rules, { type: "secrets" }))).toEqual([]);
    expect(issuesOf(...many(rulesLimits.rules + 1, { type: "secrets" }))).toHaveLength(1);
    expect(issuesOf()).toHaveLength(1);
  });
});
