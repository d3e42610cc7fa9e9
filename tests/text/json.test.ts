import { describe, expect, it } from "vitest";
import { canonicalJson, readJson } from "../../src/text/json.js";

describe("JSON that others wrote", () => {
  it.each(["{}", "[1]", '"a"', "0", "null", " true "])("is read: %s", (text) => {
    expect(readJson(text)).toEqual({ value: JSON.parse(text) });
  });

  it.each(["", "{a", "{'a':1}", "undefined", "<html>"])("has a problem and no value when it is none: %s", (text) => {
    const { value, problem } = readJson(text);
    expect(value).toBeUndefined();
    expect(problem).toMatch(/JSON/);
  });
});

describe("JSON to compare by", () => {
  it("is the same text for values that say the same, whatever the order of their fields, at any depth", () => {
    const one = { role: "user", metadata: { b: [{ y: 1, x: 2 }], a: null }, gone: undefined };
    const other = { metadata: { a: null, b: [{ x: 2, y: 1 }] }, role: "user" };
    expect(canonicalJson(one)).toBe(canonicalJson(other));
    expect(JSON.parse(canonicalJson(one))).toEqual(other);
  });

  it("takes the order of a list, a value's type and a name of the language's own for what they are", () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
    expect(canonicalJson({ a: "1" })).not.toBe(canonicalJson({ a: 1 }));
    expect(canonicalJson(undefined)).toBe("");
    expect(canonicalJson(JSON.parse('{"__proto__":{"b":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"b":1}}');
  });
});
