import { describe, expect, it } from "vitest";
import { checkPosition, type PositionRules, positionLimits, readPosition } from "../../src/roundtable/position.js";

const free: PositionRules = { citable: [] };
const good = { position: "Ship it.", reasoning: "The tests pass.", confidence: 0.8 };
const requestId = "ask_01jd_rt_01jd";
const citing: PositionRules = { citable: [{ requestId, label: "C1" }] };

function problemOf(value: unknown, rules: PositionRules = free): string {
  const read = checkPosition(value, rules);
  return read.ok ? "" : read.problem;
}
function positionOf(value: unknown, rules: PositionRules = free) {
  const read = checkPosition(value, rules);
  if (!read.ok) throw new Error(read.problem);
  return read.position;
}

describe("a position as a model writes it", () => {
  it("is taken as it is when nothing is wrong with it", () => {
    const citations = [{ title: "Report", url: "https://example.com/r", snippet: "p. 3" }];
    const whole = { ...good, stance: "YES", citations, citedContext: [requestId] };
    expect(checkPosition(whole, citing)).toEqual({ ok: true, position: whole });
  });

  it.each([
    ["80%", 0.8],
    ["0.8", 0.8],
    [80, 0.8],
    [1, 1],
    [0, 0],
  ])("may give its confidence as %j", (confidence, expected) => {
    expect(positionOf({ ...good, confidence }).confidence).toBeCloseTo(expected);
  });

  it.each(["high", -1, 101, "", "NaN"])("is refused with the confidence %j", (confidence) => {
    expect(problemOf({ ...good, confidence })).toMatch(/^confidence is a number from 0 to 1/);
  });

  it.each([
    ["yes", "YES"],
    ["Agree.", "YES"],
    ["against", "NO"],
    ["Disagree", "NO"],
    ["abstain", "NEUTRAL"],
  ])("may give its stance as %j", (stance, expected) => {
    expect(positionOf({ ...good, stance }).stance).toBe(expected);
  });

  it("has no stance when it states none, and none is demanded", () => {
    expect(positionOf(good)).not.toHaveProperty("stance");
    expect(positionOf({ ...good, stance: null })).not.toHaveProperty("stance");
  });

  it("is refused with a stance that isn't one, without one that is demanded, and with one that isn't its role's", () => {
    expect(problemOf({ ...good, stance: "perhaps" })).toContain('not "perhaps"');
    expect(problemOf(good, { stance: "required", citable: [] })).toContain("it has no stance");
    expect(problemOf({ ...good, stance: "NO" }, { stance: "YES", citable: [] })).toContain('has the stance "YES"');
  });

  it("gets its role's stance where it leaves it out", () => {
    expect(positionOf(good, { stance: "NO", citable: [] }).stance).toBe("NO");
  });

  it.each([
    [{ ...good, position: " " }, "it has no position"],
    [{ ...good, reasoning: undefined }, "it has no reasoning"],
    [{ ...good, confidence: undefined }, "it has no confidence"],
    [{ ...good, position: "x".repeat(positionLimits.position + 1) }, "at most 4000 are allowed"],
    ["Ship it.", "the position: "],
    [{ ...good, position: { text: "nested" } }, "position: "],
  ])("is refused with words that say what would be right: %#", (value, words) => {
    expect(problemOf(value)).toContain(words);
  });

  it("keeps sources without an address by their title, and addresses that are none as titles alone", () => {
    const citations = ["https://example.com/a", "The minutes", { title: "A blog", link: "javascript:alert(1)" }, {}];
    expect(positionOf({ ...good, citations }).citations).toEqual([
      { title: "https://example.com/a", url: "https://example.com/a" },
      { title: "The minutes" },
      { title: "A blog" },
    ]);
  });

  it("names each source once, and no more of them than are allowed", () => {
    const citations = Array.from({ length: 50 }, (_, at) => ({ title: `Source ${at % 30}` }));
    expect(positionOf({ ...good, citations }).citations).toHaveLength(positionLimits.citations);
    expect(positionOf({ ...good, citations: ["One", "One"] }).citations).toEqual([{ title: "One" }]);
  });

  it("cites context by its label, by its id or in the text, and nothing that isn't there", () => {
    expect(positionOf({ ...good, citedContext: ["c1", "C9"] }, citing).citedContext).toEqual([requestId]);
    expect(positionOf({ ...good, citedContext: requestId }, citing).citedContext).toEqual([requestId]);
    expect(positionOf({ ...good, reasoning: "As [C1] says." }, citing).citedContext).toEqual([requestId]);
    expect(positionOf({ ...good, reasoning: "As [C1] says.", citedContext: ["ask_made_up"] }).citedContext).toEqual([]);
  });
});

describe("a position in a text", () => {
  it.each([
    ["bare", JSON.stringify(good)],
    ["in a fence", `Here it is:\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\``],
    ["with prose around it", `I hold: ${JSON.stringify(good)} So much for that.`],
    [
      "in single quotes, with a comma too many",
      "{'position': 'Ship it.', 'reasoning': 'The tests pass.', 'confidence': 0.8,}",
    ],
    ["cut off", '{"position": "Ship it.", "confidence": 0.8, "reasoning": "The tests pass.'],
    ["after an object that is none", `{"thoughts": "hm"} ${JSON.stringify(good)}`],
  ])("is read %s", (_where, text) => {
    expect(readPosition(text, free)).toEqual({ ok: true, position: { ...good, citations: [], citedContext: [] } });
  });

  it("has a problem that says so when there is none", () => {
    expect(readPosition("I'd ship it.", free)).toEqual({ ok: false, problem: "it holds no JSON object." });
    expect(readPosition('{"position": "Ship it."}', free)).toMatchObject({
      problem: expect.stringMatching(/reasoning/),
    });
  });
});
