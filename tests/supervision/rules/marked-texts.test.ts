import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readJsonLines } from "../../../scripts/evaluation/json-lines.js";
import { countSpans, f1, markedTextSchema } from "../../../scripts/evaluation/rule-spans.js";

const path = join(import.meta.dirname, "fixtures/marked-texts.jsonl");
const texts = readJsonLines(path).map((line) => markedTextSchema.parse(line));
const heldBack = texts.filter(({ split }) => split === "held back");

describe("personal data in sentences that the rules were not written for", () => {
  const counts = countSpans(heldBack);

  it("are sentences of ten languages, half of all", () => {
    expect(texts).toHaveLength(500);
    expect(heldBack.length).toBeGreaterThanOrEqual(240);
    expect(new Set(heldBack.map(({ lang }) => lang)).size).toBe(10);
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
