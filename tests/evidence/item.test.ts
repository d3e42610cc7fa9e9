/** Lines of an import, and what a reviewer's answer says of the supervisor that held the text. */
import { describe, expect, it } from "vitest";
import { isCorrect } from "../../src/evidence/correctness.js";
import { contentOf, expectedOfReview, readLines } from "../../src/evidence/item.js";

describe("lines", () => {
  it("are items, and those that aren't are named by their number", () => {
    const { items, invalid } = readLines(
      [
        '{"input": "a"}',
        "",
        "{",
        '{"input": "b", "hook": "moon"}',
        '{"input": {"messages": []}}',
        '{"input": "c"}',
      ].join("\n"),
    );
    expect(items.map(({ input }) => input)).toEqual(["a", "c"]);
    expect(invalid.map(({ line }) => line)).toEqual([3, 4, 5]);
    expect(invalid[1]?.detail).toContain("hook");
  });

  it("are bounded in length and depth", () => {
    expect(readLines(`{"input": "${"a".repeat(70_000)}"}`).invalid[0]?.detail).toContain("longer than");
    expect(readLines(`{"input": ${"[".repeat(1_000)}`).invalid).toHaveLength(1);
  });

  it("say the same whatever should come of them", () => {
    const [first, second] = readLines(
      '{"hook":"request","input":"a"}\n{"input":"a","expected":{"action":"block"}}',
    ).items;
    expect(first && contentOf(first)).toBe(second && contentOf(second));
  });
});

it("what a reviewer decided says what should have come of the text", () => {
  const texts = { before: "Call 555.", proposed: "Call [phone]." };
  expect(expectedOfReview({ decision: "accept" }, { before: "a", proposed: "a" })).toEqual({ action: "allow" });
  expect(expectedOfReview({ decision: "accept" }, texts)).toEqual({ action: "modify", text: "Call [phone]." });
  expect(expectedOfReview({ decision: "edit", content: "Call us." }, texts)).toEqual({
    action: "modify",
    text: "Call us.",
  });
  expect(expectedOfReview({ decision: "reject" }, texts)).toEqual({ action: "block" });
});

it("a result is right where all that was expected holds, and a failure is neither right nor wrong", () => {
  const result = { action: "modify", text: "Call [phone].", latencyMs: 1 } as const;
  expect(isCorrect({ action: "modify", contains: ["[PHONE]"], absent: ["555"] }, result, "Call 555.")).toBe(true);
  expect(isCorrect({ action: "modify", text: "Call us." }, result, "Call 555.")).toBe(false);
  expect(isCorrect({ absent: ["555"] }, { action: "allow", latencyMs: 1 }, "Call 555.")).toBe(false);
  expect(isCorrect({ action: "allow" }, { ...result, failed: "no answer" }, "")).toBeUndefined();
  expect(isCorrect({ tool: "shop/refund" }, result, "")).toBeUndefined();
  expect(isCorrect(undefined, result, "")).toBeUndefined();
  // Of an answer more can be expected.
  const answer = { ...result, tools: ["shop/refund"], workers: ["billing"], stance: "NO" as const };
  expect(isCorrect({ tool: "refund", worker: "billing", stance: "NO" }, answer, undefined)).toBe(true);
  expect(isCorrect({ tool: "fund" }, answer, undefined)).toBe(false);
  expect(isCorrect({ worker: "travel" }, answer, undefined)).toBe(false);
  expect(isCorrect({ schema: {} }, answer, undefined, () => true)).toBe(true);
  expect(isCorrect({ action: "allow" }, { ...answer, diverged: "shop/refund {}" }, undefined)).toBeUndefined();
});
