import { describe, expect, it } from "vitest";
import { isSameQuestion } from "../../src/text/same-question.js";

describe("two questions", () => {
  it.each([
    ["Which order is it about?", "which order is it about"],
    ["Which order is it about?", "Which order is it about, please?"],
    ["Which orders are they about?", "Which order are they about?"],
    ["What is the number of your order?", "Your order: what is the number of it?"],
  ])("are the same in nearly the same words: %s %s", (one, other) => {
    expect(isSameQuestion(one, other)).toBe(true);
    expect(isSameQuestion(other, one)).toBe(true);
  });

  it.each([
    ["What of order 17?", "What of order 18?"],
    ["What of a?", "What of b?"],
    ["Which delivery address is for the first parcel?", "Which delivery address is for the second parcel?"],
    ["Which order?", "Which order of the customer was paid twice?"],
    ["", ""],
  ])("are two with another word in place of one, or much more to them: %s %s", (one, other) => {
    expect(isSameQuestion(one, other)).toBe(false);
    expect(isSameQuestion(other, one)).toBe(false);
  });
});
