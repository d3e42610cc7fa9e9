import { describe, expect, it } from "vitest";
import { identifierWords, sentences, shorten } from "../../src/text/passages.js";

describe("the words of an identifier", () => {
  it.each(["lookupOrder", "lookup_order", "lookup-order"])("of %s are apart", (name) => {
    expect(identifierWords(name).toLowerCase()).toBe("lookup order");
  });
});

describe("sentences", () => {
  it("end at their marks and at lines, in every script, and bring no list marks along", () => {
    expect(sentences("One. Two!\n- three\n\n* four？五。六")).toEqual([
      "One.",
      "Two!",
      "three",
      "four？",
      "五。",
      "六",
    ]);
    expect(sentences("…\n---")).toEqual([]);
  });
});

describe("shortening", () => {
  it("leaves what is short enough, and cuts the rest between words", () => {
    expect(shorten("as it is", 20)).toBe("as it is");
    expect(shorten("one two three four", 12)).toBe("one two…");
    expect(shorten("x".repeat(50), 10)).toBe(`${"x".repeat(9)}…`);
    expect(shorten(`${"x".repeat(8)}😀😀`, 10)).toBe(`${"x".repeat(8)}…`);
  });
});
