import { describe, expect, it } from "vitest";
import { readJson } from "../../src/text/json.js";

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
