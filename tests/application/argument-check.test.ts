import { describe, expect, it } from "vitest";
import { askHumanTool } from "../../src/agent/built-in/ask-human.js";
import { validateArguments } from "../../src/application/argument-check.js";

describe("The arguments of a tool whose schema is broken", () => {
  it.each([
    ["a pattern that is none", { a: { type: "string", pattern: "(" } }],
    ["a reference to nothing", { a: { $ref: "#/definitions/nowhere" } }],
    ["a reference that is resolved at run time", { a: { $dynamicRef: "#node" } }],
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

describe("A check whose cost could run away", () => {
  const text = (format: string, value: string) =>
    validateArguments({ parameters: { type: "object", properties: { a: { type: "string", format } } } }, { a: value });

  it.each(["url", "uri", "email", "hostname", "date-time", "time", "ipv6", "json-pointer", "uri-template"])(
    "reads a long text of the format %s at once",
    (format) => {
      for (const unit of ["a", "a-", "a.", "1:", "%41", "/~0", "é"]) text(format, `http://${unit.repeat(30_000)}!`);
    },
  );

  it("knows the formats all the same", () => {
    expect(text("url", "https://shop.example/orders?id=1")).toEqual([]);
    expect(text("email", "ana@shop.example")).toEqual([]);
    expect(text("date-time", "2026-11-22T10:00:00+01:00")).toEqual([]);
    expect(text("time", "10:00:00Z")).toEqual([]);
    expect(text("uuid", "018f3b1e-0000-7000-8000-000000000000")).toEqual([]);
    expect(text("url", "shop")).toEqual(["#/a: it isn't a valid url"]);
    expect(text("email", "ana")).toEqual(["#/a: it isn't a valid email"]);
    expect(text("date", "2026-02-30")).toEqual(["#/a: it isn't a valid date"]);
    expect(text("a format of their own", "x")).toEqual([]);
  });

  it("is refused where references double at every level", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let level = 1; level <= 12; level++) {
      const below = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { anyOf: [below, { ...below }] };
    }
    const parameters = { type: "object", properties: { a: { $ref: "#/$defs/d12" } }, $defs };
    expect(validateArguments({ parameters }, { a: 1 })).toEqual([expect.stringMatching(/its schema is broken.*\$ref/)]);
  });

  it("is refused where a schema refers to itself", () => {
    const parameters = { type: "object", properties: { child: { $ref: "#" } } };
    expect(validateArguments({ parameters }, {})).toEqual([expect.stringMatching(/refers to itself/)]);
  });

  it("is refused where there are too many values for the schema", () => {
    const branches = Array.from({ length: 200 }, (_, n) => ({ type: "object", required: [`f${n}`] }));
    const parameters = { type: "object", properties: { list: { type: "array", items: { anyOf: branches } } } };
    expect(validateArguments({ parameters }, { list: Array.from({ length: 10_000 }, () => ({})) })).toEqual([
      expect.stringMatching(/too many values/),
    ]);
    expect(validateArguments({ parameters }, { list: [{ f7: 1 }] })).toEqual([]);
  });

  it("finds what stands twice in a long list, and what is wrong in many places, at once", () => {
    const unique = { type: "object", properties: { list: { type: "array", uniqueItems: true } } };
    const list: unknown[] = Array.from({ length: 8_000 }, (_, n) => ({ n, m: { n } }));
    expect(validateArguments({ parameters: unique }, { list })).toEqual([]);
    expect(validateArguments({ parameters: unique }, { list: [...list, { m: { n: 3 }, n: 3 }] })).toEqual([
      "#/list/8000: it stands there twice",
    ]);
    const numbers = { type: "object", properties: { list: { type: "array", items: { type: "number" } } } };
    expect(validateArguments({ parameters: numbers }, { list: list.map(String) })).toHaveLength(5);
  });

  it("is done before anything is read that is far too long", () => {
    const parameters = { type: "object", properties: { a: { type: "string" } } };
    expect(validateArguments({ parameters }, { a: "x".repeat(300_000) })).toEqual([
      expect.stringMatching(/300008 characters, of at most/),
    ]);
  });
});
