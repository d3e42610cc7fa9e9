import { describe, expect, it } from "vitest";
import { examplesOf, routeByExamples } from "../../src/routing/strategies/example-based.js";
import { teamSchema } from "../../src/routing/team.js";
import { prepareExamples } from "../../src/text/example-classifier.js";

const worker = (id: string, examples: string[], skills: string[] = []) => ({
  id,
  description: `Answers about ${id}.`,
  capabilities: { skills, examples },
});
const workers = [
  worker("billing", ["I was charged twice", "Where is my invoice?", "refund my payment"]),
  worker("technical", ["the app crashes at login", "I can't sign in", "error when I save"]),
  worker("gardening", [], ["tulips", "compost"]),
];
const classifier = prepareExamples(examplesOf(workers));
const live = (...ids: string[]) => ids.map((id) => ({ id, description: id, skills: [], tools: [] }));
const all = live("billing", "technical", "gardening");
const choose = (input: string, among = all, answer?: string) =>
  routeByExamples(
    {
      input,
      live: among,
      clarifications:
        answer === undefined
          ? []
          : [{ askId: "ask_1", question: "What?", answer, from: "human", at: "2026-11-22T10:00:00.000Z" }],
    },
    classifier,
  );

describe("example-based routing", () => {
  it("goes to who has the likest examples, and says how like and who comes next", () => {
    expect(choose("you charged me two times")).toMatchObject({
      kind: "route",
      choice: {
        targets: ["billing"],
        reasoning: expect.stringMatching(/^\d+ % like the examples of billing, \d+ % like those of \w+\.$/),
      },
    });
  });

  it("reads what a person answered like the request", () => {
    expect(choose("It doesn't work.", all, "The app crashes when I sign in")).toMatchObject({
      choice: { targets: ["technical"] },
    });
  });

  it("tells a worker without examples by its description and skills", () => {
    expect(choose("When do I plant tulips?")).toMatchObject({ choice: { targets: ["gardening"] } });
  });

  it("understands everyday words of another language than that of the examples", () => {
    expect(choose("我要退款")).toMatchObject({ choice: { targets: ["billing"] } });
    expect(choose("L'application est en panne")).toMatchObject({ choice: { targets: ["technical"] } });
  });

  it("isn't sure of another worker only because the right one can't work", () => {
    const outcome = choose("I was charged twice", live("technical", "gardening"));
    expect(outcome.kind === "route" ? outcome.choice.confidence : 0).toBeLessThan(0.3);
  });

  it("names nobody where no example has anything in common", () => {
    expect(choose("რუსთაველი")).toEqual({ kind: "none", why: "the request has nothing in common with any example" });
    expect(choose("anything", [])).toMatchObject({ kind: "none" });
  });

  it("takes up to 100 examples a worker, and up to 200 workers", () => {
    const team = (count: number, examples: number) => ({
      supervisor: { strategy: "example-based", minConfidence: 0.5, then: "ask" },
      workers: Array.from({ length: count }, (_, index) => ({
        id: `w${index}`,
        description: "x",
        capabilities: { examples: Array.from({ length: examples }, (_, at) => `example ${at}`) },
      })),
    });
    expect(teamSchema.safeParse(team(200, 100)).success).toBe(true);
    expect(teamSchema.safeParse(team(201, 1)).success).toBe(false);
    expect(teamSchema.safeParse(team(1, 101)).success).toBe(false);
  });
});
