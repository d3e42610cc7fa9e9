import { describe, expect, it } from "vitest";
import { splitText } from "../../src/channels/split.js";

describe("a long text", () => {
  it("is cut at paragraphs, else at sentences, else at words", () => {
    const sentence = "This is a sentence of some length. ";
    expect(splitText(`${sentence.repeat(2).trim()}\n\n${sentence.repeat(2).trim()}`, 120)).toHaveLength(2);
    const parts = splitText(sentence.repeat(20), 200);
    expect(parts.every((part) => part.length <= 200 && part.endsWith("."))).toBe(true);
    expect(parts.join(" ")).toBe(sentence.repeat(20).trim());
    expect(splitText("word ".repeat(100), 90).every((part) => !part.startsWith("ord") && part.length <= 90)).toBe(true);
  });

  it("that has no place to pause is cut anywhere, and no character in two", () => {
    const parts = splitText("😀".repeat(200), 99);
    expect(parts.every((part) => part.length <= 99 && !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(part))).toBe(true);
    expect(parts.join("")).toBe("😀".repeat(200));
  });

  it("has its code blocks closed and opened again", () => {
    const code = Array.from({ length: 60 }, (_none, line) => `const value${line} = ${line};`).join("\n");
    const parts = splitText(`Look:\n\`\`\`ts\n${code}\n\`\`\`\nThat was it.`, 400);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(400);
      expect((part.match(/^```/gm) ?? []).length % 2).toBe(0);
    }
    const lines = parts
      .join("\n")
      .split("\n")
      .filter((line) => line.startsWith("const"));
    expect(lines.join("\n")).toBe(code);
  });

  it("of nothing has no parts", () => {
    expect(splitText("  \n ", 100)).toEqual([]);
  });
});
