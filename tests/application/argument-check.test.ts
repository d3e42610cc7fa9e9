import { describe, expect, it } from "vitest";
import { askHumanTool } from "../../src/agent/built-in/ask-human.js";
import { validateArguments } from "../../src/application/argument-check.js";

describe("The arguments of a tool whose schema is broken", () => {
  it.each([
    ["a pattern that is none", { a: { type: "string", pattern: "(" } }],
    ["a reference to nothing", { a: { $ref: "#/definitions/nowhere" } }],
  ])("are refused with the reason, and nothing is thrown: %s", (_what, properties) => {
    const parameters = { type: "object", properties };
    const problems = validateArguments({ ...askHumanTool, parameters }, { a: "x" });
    expect(problems).toEqual([expect.stringMatching(/^they can't be checked, because its schema is broken/)]);
  });
});

describe("Patterns in a tool's schema", () => {
  const check = (properties: object, args: unknown) =>
    validateArguments({ parameters: { type: "object", properties } }, args);

  it("are checked, in properties and items at any depth", () => {
    const code = { type: "string", pattern: "^[A-Z]{3}-\\d+$" };
    const properties = { code, list: { type: "array", items: { type: "object", properties: { code } } } };
    expect(check(properties, { code: "ABC-1", list: [{ code: "XYZ-22" }] })).toEqual([]);
    expect(check(properties, { code: "abc", list: [{ code: "XYZ" }] })).toEqual([
      expect.stringContaining("#/code"),
      expect.stringContaining("#/list/0/code"),
    ]);
  });

  it("can't run away on a text made for it", () => {
    const evil = { a: { type: "string", pattern: "^(a+)+$" }, b: { type: "string", pattern: "^(\\w+\\s?)*$" } };
    // A native expression would take longer than the universe has been there.
    const problems = check(evil, { a: `${"a".repeat(5_000)}!`, b: `${"word ".repeat(1_000)}!` });
    expect(problems).toHaveLength(2);
  });

  it("leave a property of that name alone, and what depends on patterns of names", () => {
    expect(check({ pattern: { type: "string" } }, { pattern: 1 })).toEqual([expect.stringContaining("#/pattern")]);
    const parameters = { type: "object", patternProperties: { "^x": {} }, additionalProperties: false };
    expect(validateArguments({ parameters }, { x1: 1 })).toEqual([]);
  });

  it("that only a native expression could run are left to the tool", () => {
    expect(check({ a: { type: "string", pattern: "^(?=x)x" } }, { a: "y" })).toEqual([]);
  });
});
