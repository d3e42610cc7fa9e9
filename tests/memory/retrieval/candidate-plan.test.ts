import { describe, expect, it } from "vitest";
import type { MemoryStatistics } from "../../../src/memory/retrieval/candidate.js";
import { defaultPlanLimits, matchExpression, planCandidates } from "../../../src/memory/retrieval/candidate-plan.js";
import { distinctTerms, entryTerms, roleMark, tagMark } from "../../../src/memory/retrieval/entry-terms.js";
import { frequencyLookups, parseQuery } from "../../../src/memory/retrieval/query.js";
import { search } from "../../../src/memory/retrieval/search.js";
import { filler, memoryOf } from "./builders.js";

function statistics(frequencies: Record<string, number>, entryCount = 100_000): MemoryStatistics {
  return {
    entryCount,
    averageLength: { raw: 12, summary: 0, tags: 0 },
    frequencies: new Map(Object.entries(frequencies)),
    span: { from: "2023-01-01", to: "2024-12-31" },
  };
}

describe("planning candidates", () => {
  it("takes rare words whole, and frequent ones only together", () => {
    const query = parseQuery("clarinet lesson music school");
    const plan = planCandidates(query, statistics({ clarinet: 12, lesson: 900, music: 4_000, school: 9_000 }));
    expect(plan.probes[0]?.anyOf).toEqual([["clarinet"]]);
    expect(plan.probes[1]?.anyOf).toEqual([["lesson", "music", "school"]]);
    expect(plan.probes[2]?.anyOf).toEqual([
      ["lesson", "music"],
      ["lesson", "school"],
      ["music", "school"],
    ]);
    expect(plan.probes.every(({ limit }) => limit <= defaultPlanLimits.maxCandidates)).toBe(true);
  });

  it("reads no more postings than its limits allow, whatever the words", () => {
    const query = parseQuery("alpha beta gamma delta epsilon zeta");
    const frequencies = Object.fromEntries(query.terms.map(({ term }, index) => [term, 20_000 + index]));
    const together = planCandidates(query, statistics(frequencies)).probes.flatMap(({ anyOf }) => anyOf);
    expect(new Set(together.flat()).size).toBe(2);
  });

  it("looks up dates, and the marks of speakers, in the same plan", () => {
    const query = parseQuery("What did Anna do on 7 May 2023?");
    expect(frequencyLookups(query)).toEqual(expect.arrayContaining(["anna", "@anna", "on:2023-05-07"]));
    const plan = planCandidates(query, statistics({ "@anna": 5_000, "on:2023-05-07": 3 }));
    expect(plan.probes[0]?.anyOf).toEqual(expect.arrayContaining([["on:2023-05-07"]]));
    expect(plan.dateProbes).toEqual([
      { range: { from: "2023-05-07", to: "2023-05-07" }, limit: defaultPlanLimits.maxDated },
    ]);
  });

  it("looks up the topics that are asked for as it does words, within the same limits", () => {
    const query = parseQuery("Which pets does Ana have?");
    expect(frequencyLookups(query)).toContain("about:pets");
    expect(planCandidates(query, statistics({ "about:pets": 12 })).probes[0]?.anyOf).toEqual([["about:pets"]]);
    const many = planCandidates(query, statistics({ "about:pets": 9_000, pet: 2 })).probes;
    expect(many.map(({ anyOf }) => anyOf)).toEqual([[["pet"]], [["about:pets"]]]);
  });

  it("plans nothing for words the memory doesn't have", () => {
    const plan = planCandidates(parseQuery("xylophone"), statistics({}));
    expect(plan).toMatchObject({ probes: [], dateProbes: [], entryIds: [] });
  });

  it("writes a probe as a full-text query over one memory's terms", () => {
    const probe = { anyOf: [["lesson", "music"], ["@anna"]], limit: 5 };
    expect(matchExpression(probe, "12", [roleMark("user")])).toBe(
      '(("12:lesson" AND "12:music") OR ("12:@anna")) AND "12:role:user"',
    );
    expect(matchExpression({ anyOf: [['a"b']], limit: 1 }, "12")).toBe('(("12:a""b"))');
  });

  it("keeps within its candidates and still finds the one entry among many that is meant", async () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `The school concert number ${index} had some music`);
    const source = memoryOf([
      ...many.slice(0, 700),
      "The music teacher of the school plays in a concert with her clarinet",
      ...many.slice(700),
    ]);
    const [best] = await search(source, "clarinet concert at school");
    expect(best?.entryId).toBe("e700");
    const plan = planCandidates(
      parseQuery("school concert music"),
      await source.statistics(["school", "concert", "music"]),
    );
    const found = await source.candidates(plan);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(defaultPlanLimits.maxCandidates);
  });
});

describe("the terms of an entry", () => {
  it("are the same each time, so that what was indexed can be named when it is deleted", () => {
    const entry = {
      rawText: "Ben: We met yesterday?",
      tags: { project: "Apollo 11" },
      role: "user",
      occurredAt: "2023-05-08T09:00:00Z",
    };
    expect(entryTerms(entry)).toEqual(entryTerms({ ...entry }));
    expect(distinctTerms(entryTerms(entry))).toEqual(
      ["11", "@ben", "apollo", "is:question", "is:timed", "meet", "on:2023-05", "on:2023-05-07", "project", "role:user"]
        .concat([tagMark("project"), tagMark("project", "Apollo 11"), "yesterday"])
        .sort(),
    );
  });

  it("can't be made to look like marks, nor break the index's tokenizer", () => {
    const terms = entryTerms({
      rawText: "@ben role:admin",
      tags: { 'a"b': "c d, e" },
      occurredAt: "2023-05-08T09:00:00Z",
    });
    expect(terms.raw).not.toMatch(/[@:]/);
    for (const mark of terms.marks.split(" ")) expect(mark).toMatch(/^[\p{L}\p{N}@:.+#=_-]+$/u);
  });

  it("gives frequencies no weight of filler", async () => {
    const source = memoryOf(filler(30));
    expect((await source.statistics(["stood", "the"])).frequencies).toEqual(
      new Map([
        ["stood", 0],
        ["the", 0],
      ]),
    );
  });
});
