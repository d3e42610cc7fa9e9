import { expect, it } from "vitest";
import { mergedDiff, wordDiff } from "../../src/text/word-diff.js";

const merged = (before: string, after: string) => mergedDiff(wordDiff(before, after) ?? []);

it("changes that fewer than three words separate are one", () => {
  expect(merged("Write to ana@example.com. Today, please.", "Write to [email]. Now, please.")).toEqual([
    { same: "Write to " },
    { removed: "ana@example.com. Today", added: "[email]. Now" },
    { same: ", please." },
  ]);
});

it("changes that are further apart stay apart, and so do those of two lines", () => {
  const parts = merged("one two three four five six", "1 two three four five 6");
  expect(parts).toEqual([
    { removed: "one", added: "1" },
    { same: " two three four five " },
    { removed: "six", added: "6" },
  ]);
  expect(merged("a\nb", "c\nd")).toHaveLength(3);
});

it("gives both texts back", () => {
  const [before, after] = ["The quick brown fox jumps over it.", "A quick red fox has jumped over them twice."];
  const parts = merged(before, after);
  expect(parts.map(({ same, removed = "" }) => same ?? removed).join("")).toBe(before);
  expect(parts.map(({ same, added = "" }) => same ?? added).join("")).toBe(after);
});
