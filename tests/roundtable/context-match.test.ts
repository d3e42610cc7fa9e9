import { describe, expect, it } from "vitest";
import { type ComparableRequest, findRequest } from "../../src/roundtable/context-request.js";
import { randomFrom } from "../support/random.js";
import { shuffled } from "./support.js";

const budget = "What is our monthly infrastructure budget?";
const budgetInOtherWords = "What's the monthly budget for our infrastructure?";
const open = (query: string): ComparableRequest => ({ query, status: "open" });

describe("the request that asks for the same", () => {
  it("has the same words, or the same meaning", () => {
    expect(findRequest([open(budget)], `  ${budget.toUpperCase()} `, 0.8)?.match).toBe("words");
    expect(findRequest([open(budget)], budgetInOtherWords, 0.8)?.match).toBe("meaning");
    expect(findRequest([open(budget)], "Who owns the payment gateway?", 0.8)).toBeUndefined();
    expect(findRequest([], budget, 0.8)).toBeUndefined();
  });

  it("is found above the likeness that is demanded, and not below", () => {
    const longer = "What is our monthly infrastructure budget for backups of the archive?";
    expect(findRequest([open(budget)], longer, 0.5)).toBeDefined();
    expect(findRequest([open(budget)], longer, 0.9)).toBeUndefined();
  });

  it("is the one with the same words before one that is like it", () => {
    const requests = [open(budgetInOtherWords), open(budget)];
    expect(findRequest(requests, budget, 0.8)?.request.query).toBe(budget);
  });

  it("is the one that helps most of those that are equally like", () => {
    const withdrawn = { query: budget, status: "withdrawn" } as const;
    const answered = { query: budget, status: "answered" } as const;
    expect(findRequest([withdrawn, answered, open(budget)], budget, 0.8)?.request.status).toBe("answered");
    expect(findRequest([withdrawn, open(budget)], budget, 0.8)?.request.status).toBe("open");
  });

  it("is the same in whatever order they were asked", () => {
    const random = randomFrom(12);
    const things = ["budget", "error rate", "data retention", "owner", "traffic"];
    const ways = [
      (thing: string) => `What is the ${thing} of the checkout?`,
      (thing: string) => `the checkout's ${thing}`,
      (thing: string) => `Why did the ${thing} of the checkout change?`,
      (thing: string) => `Please give the ${thing} of our checkout in Europe.`,
    ];
    const requests = things.flatMap((thing) => ways.slice(1).map((way) => open(way(thing))));
    for (const thing of things)
      for (const way of ways) {
        const found = findRequest(requests, way(thing), 0.7);
        expect(found).toBeDefined();
        for (let times = 0; times < 5; times++) {
          expect(findRequest(shuffled(requests, random), way(thing), 0.7)).toEqual(found);
        }
      }
  });
});
