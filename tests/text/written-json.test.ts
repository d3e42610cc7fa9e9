import { describe, expect, it } from "vitest";
import { jsonObjectsIn, readProbability } from "../../src/text/written-json.js";

const objects = (text: string) => [...jsonObjectsIn(text)];

describe("JSON objects in a text", () => {
  it.each([
    ["none", "nothing here, [1, 2]", []],
    ["one with prose around it", 'Sure: {"a": 1}. Bye.', [{ a: 1 }]],
    ["those in a fence first", 'Not {"a": 0} but\n```json\n{"a": 1}\n```', [{ a: 1 }, { a: 0 }, { a: 1 }]],
    ["one with braces in its strings", '{"a": "} {"}', [{ a: "} {" }]],
    ["one that is cut off", '{"a": {"b": "c', [{ a: { b: "c" } }]],
    ["one in another dialect", "{a: 'b', /* yes */ c: True,}", [{ a: "b", c: true }]],
  ])("are found: %s", (_what, text, expected) => {
    expect(objects(text)).toEqual(expected);
  });
});

describe("a probability", () => {
  it.each([
    [0.5, 0.5],
    ["0.5", 0.5],
    [50, 0.5],
    ["50 %", 0.5],
    ["1%", 0.01],
  ])("is read of %j", (given, expected) => expect(readProbability(given)).toBeCloseTo(expected));

  it.each(["", "half", -0.1, 101, "150%", Number.NaN])("isn't read of %j", (given) => {
    expect(readProbability(given)).toBeUndefined();
  });
});
