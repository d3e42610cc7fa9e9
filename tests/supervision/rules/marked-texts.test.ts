import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readJsonLines } from "../../../tools/evaluation/json-lines.js";
import { countSpans, f1, markedTextSchema } from "../../../tools/evaluation/rule-spans.js";

const path = join(import.meta.dirname, "fixtures/marked-texts.jsonl");
const texts = readJsonLines(path).map((line) => markedTextSchema.parse(line));
const heldBack = texts.filter(({ split }) => split === "held back");

describe("personal data in the held-back half of the marked texts", () => {
  const counts = countSpans(heldBack);

  it("are sentences of thirteen languages, half of all", () => {
    expect(texts).toHaveLength(590);
    expect(heldBack.length).toBeGreaterThanOrEqual(240);
    expect(new Set(heldBack.map(({ lang }) => lang)).size).toBe(13);
  });

  it("telephone numbers are found with an F1 of .90 and more", () => {
    const phones = counts.get("phone") ?? { correct: 0, found: 0, marked: 0 };
    expect(phones.marked).toBeGreaterThanOrEqual(50);
    expect(f1(phones)).toBeGreaterThanOrEqual(0.9);
  });

  it.each(["email", "card", "iban", "nationalId", "ip"])("%s is found with an F1 of .98 and more", (kind) => {
    const found = counts.get(kind) ?? { correct: 0, found: 0, marked: 0 };
    expect(found.marked).toBeGreaterThan(0);
    expect(f1(found)).toBeGreaterThanOrEqual(0.98);
  });
});

describe("personal data in the hard texts", () => {
  const hard = readJsonLines(join(import.meta.dirname, "fixtures/hard-texts.jsonl"));
  const counts = countSpans(hard.map((line) => markedTextSchema.parse(line)));

  it.each([
    ["phone", 0.98],
    ["email", 0.98],
    ["card", 0.98],
    ["iban", 0.98],
    ["nationalId", 0.98],
    // "ruby 3.2.2.1" is taken for an address.
    ["ip", 0.95],
  ])("%s is found with an F1 of %d and more", (kind, least) => {
    const found = counts.get(kind) ?? { correct: 0, found: 0, marked: 0 };
    expect(found.marked).toBeGreaterThanOrEqual(8);
    expect(f1(found)).toBeGreaterThanOrEqual(least);
  });
});
