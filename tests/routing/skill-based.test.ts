import { describe, expect, it } from "vitest";
import { routeBySkills } from "../../src/routing/strategies/skill-based.js";

const worker = (id: string, skills: string[], tools: string[] = []) => ({ id, description: id, skills, tools });
const live = [
  worker("first", []),
  worker("billing", ["invoice", "refund"]),
  worker("it", ["login"], ["ticket-system"]),
];
const choose = (input: string, { answer, fallback }: { answer?: string; fallback?: string } = {}) =>
  routeBySkills(
    {
      input,
      live,
      clarifications:
        answer === undefined
          ? []
          : [{ askId: "ask_1", question: "Which?", answer, from: "human", at: "2026-11-22T10:00:00.000Z" }],
    },
    fallback,
  );

describe("skill-based routing", () => {
  it("counts a skill twice as much as a tool, and what a person answered like the input", () => {
    expect(choose("Two invoices, one refund.")).toMatchObject({ choice: { targets: ["billing"], confidence: 0.8 } });
    expect(choose("The ticket system, the login.")).toMatchObject({ choice: { targets: ["it"], confidence: 0.75 } });
    expect(choose("Please help.", { answer: "I can't log in: the login fails" })).toMatchObject({
      choice: { targets: ["it"] },
    });
  });

  it("is less sure the more speaks for another", () => {
    expect(choose("An invoice")).toMatchObject({ choice: { confidence: 2 / 3 } });
    expect(choose("An invoice, a refund and the login")).toMatchObject({ choice: { confidence: 4 / 7 } });
    expect(choose("An invoice and the login")).toMatchObject({ choice: { confidence: 2 / 5 } });
  });

  it("names nobody where nothing matches and there is a fallback worker", () => {
    expect(choose("Please help.", { fallback: "it" })).toEqual({ kind: "none", why: "no skill of any worker matches" });
  });

  it("takes the first who can work where nothing matches and nobody stands by, and is never sure of that guess", () => {
    expect(choose("Please help.")).toMatchObject({ choice: { targets: ["first"], confidence: 0 } });
  });
});
