import { describe, expect, it } from "vitest";
import { canonicalJson, isTooDeep, readJson } from "../../src/text/json.js";
import { jsonObjectsIn } from "../../src/text/written-json.js";

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

describe("JSON of others that is too much", () => {
  const nested = (depth: number, inner = "1") => `${'{"a":['.repeat(depth / 2)}${inner}${"]}".repeat(depth / 2)}`;

  it("is read as deep as is allowed, and refused beyond, whoever closes it", () => {
    expect(readJson(nested(64)).problem).toBeUndefined();
    for (const text of [nested(66), nested(50_000), "[".repeat(500_000)]) {
      expect(readJson(text)).toEqual({
        value: undefined,
        problem: "JSON may be nested at most 64 deep",
        isTooMuch: true,
      });
    }
  });

  it("counts no brackets within texts, whatever is escaped there", () => {
    const held = "[{".repeat(100);
    for (const text of [held, `${held}"`, `\\${held}`, `\\"${held}`]) {
      expect(readJson(JSON.stringify({ [text]: text })).value).toEqual({ [text]: text });
    }
    expect(readJson(nested(64, JSON.stringify(`"\\${held}`))).problem).toBeUndefined();
  });

  it("is refused when it is longer than anything that we take", () => {
    expect(readJson(`"${"a".repeat(4_000_000)}"`)).toMatchObject({ value: undefined, isTooMuch: true });
  });

  it("is left out where a model wrote it among prose", () => {
    expect([...jsonObjectsIn(`So: ${nested(50_000)} and {"b": 1}`)]).toEqual([{ b: 1 }]);
    expect([...jsonObjectsIn(`${"{'a':[".repeat(25_000)}`)]).toEqual([]);
  });

  it("is told of values that come as such", () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 64; depth++) value = depth % 2 === 0 ? [value] : { value };
    expect(isTooDeep(value)).toBe(false);
    expect(isTooDeep([value])).toBe(true);
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
