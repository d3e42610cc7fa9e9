import { describe, expect, it } from "vitest";
import { routeBySkills } from "../../src/routing/strategies/skill-based.js";
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

describe("skill-based routing", () => {
  const worker = (id: string, skills: string[], tools: string[] = []) => ({ id, description: id, skills, tools });
  const choose = (input: string, answer?: string) =>
    routeBySkills({
      input,
      metadata: {},
      live: [worker("first", []), worker("billing", ["invoice", "refund"]), worker("it", ["login"], ["ticket-system"])],
      results: [],
      clarifications: answer === undefined ? [] : [{ question: "Which?", answer }],
      iteration: 0,
    });

  it("counts a skill twice as much as a tool, and what a person answered like the input", () => {
    expect(choose("Two invoices, one refund.")).toMatchObject({ choice: { targets: ["billing"], confidence: 0.8 } });
    expect(choose("The ticket system, the login.")).toMatchObject({ choice: { targets: ["it"], confidence: 0.6 } });
    expect(choose("Please help.", "I can't log in: the login fails")).toMatchObject({ choice: { targets: ["it"] } });
  });

  it("takes the first who can work where nothing matches, and says that it is no more than that", () => {
    expect(choose("Please help.")).toMatchObject({ choice: { targets: ["first"], confidence: 0.5 } });
  });
});
