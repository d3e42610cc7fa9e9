import { describe, expect, it } from "vitest";
import { mentions, termSet } from "../../src/text/overlap.js";

describe("a text", () => {
  it.each([
    ["There are two invoices.", "invoice"],
    ["The batteries are empty.", "battery"],
    ["I was charged twice.", "charge"],
    ["Wer ist in der Abteilung HR?", "HR"],
    ["a question for hr", "HR"],
    ["How do I check in?", "check-in"],
    ["The air-conditioning is loud.", "air conditioning"],
    ["Where is the LOOKUP_ORDER result?", "lookupOrder"],
    ["我要退款", "退款"],
    ["Das Café ist zu.", "cafe"],
  ])("%j mentions %j", (text, phrase) => {
    expect(mentions(termSet(text), phrase)).toBe(true);
  });

  it.each([
    ["My card is lost.", "credit card"],
    ["A hearty welcome.", "heart"],
    ["It is on the table.", "of"],
    ["anything", ""],
  ])("%j doesn't mention %j", (text, phrase) => {
    expect(mentions(termSet(text), phrase)).toBe(false);
  });
});
