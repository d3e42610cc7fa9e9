import { describe, expect, it } from "vitest";
import { parseQuery } from "../../../src/memory/retrieval/query.js";
import { chooseSeeds, rank, type Why } from "../../../src/memory/retrieval/ranking.js";
import { type SearchOptions, search } from "../../../src/memory/retrieval/search.js";
import type { SourceEntry } from "../../../tools/evaluation/evaluation.js";
import { entries, filler, memoryOf } from "./builders.js";

type Parts = Parameters<typeof entries>[0];
const ids = async (parts: Parts, query: string, options?: SearchOptions) =>
  (await search(memoryOf(parts), query, options)).map(({ entryId }) => entryId);

function parts(why: Why): number {
  const words = why.terms.reduce((total, { weight }) => total + weight, 0);
  return words + why.neighbours + why.session + why.speaker + why.date + why.vector + why.form;
}

describe("ranking", () => {
  it("explains every score: the parts make the whole", async () => {
    const source = memoryOf([
      { rawText: "Do you remember the pottery class?", speaker: "Anna" },
      { rawText: "I signed up for pottery yesterday.", speaker: "Ben", occurredAt: "2023-07-03T13:00:00.000Z" },
      { rawText: "Nice!", speaker: "Anna" },
      ...filler(20),
    ]);
    const similarities = new Map([
      ["e1", 0.9],
      ["e7", 0.2],
    ]);
    const hits = await search(source, "When did Ben sign up for a pottery class in July 2023?", { similarities });
    expect(hits.length).toBeGreaterThan(2);
    for (const { score, why } of hits) {
      expect(why.total).toBe(score);
      expect(parts(why)).toBeCloseTo(score, 10);
    }
    const best = hits[0];
    expect(best?.entryId).toBe("e1");
    expect(best?.why.terms.map(({ word }) => word)).toEqual(expect.arrayContaining(["sign", "pottery"]));
    for (const part of ["neighbours", "session", "speaker", "date", "vector"] as const) {
      expect(best?.why[part], part).toBeGreaterThan(0);
    }
    expect(best?.why.form).toBeLessThanOrEqual(0);
  });

  it("depends on this memory alone and not on the order of its candidates", async () => {
    const mine = entries(["The red kite flew over the barn", "A kite was mended", ...filler(10)]);
    const source = memoryOf(mine);
    const query = parseQuery("kite over the barn");
    const before = await search(source, query);
    await search(memoryOf([...filler(500), ...Array.from({ length: 300 }, () => "kite kite barn")]), query);
    expect(await search(source, query)).toEqual(before);

    const statistics = await source.statistics(["kite", "barn"]);
    const found = await source.candidates({
      probes: [{ anyOf: [["kite"], ["barn"]], limit: 50 }],
      dateProbes: [],
      entryIds: [],
      maxCandidates: 50,
    });
    expect(rank(query, [...found].reverse(), statistics)).toEqual(rank(query, found, statistics));
  });

  it("prefers who was named as the speaker to who was spoken to", async () => {
    const hits = await ids(
      [
        { rawText: "Caroline, do tell me about that adoption", speaker: "Melanie", sessionKey: "a" },
        ...filler(5).map((rawText) => ({ rawText, sessionKey: "b" })),
        { rawText: "The adoption went through", speaker: "Caroline", sessionKey: "c" },
      ],
      "What does Caroline say about adoption?",
    );
    expect(hits[0]).toBe("e6");
  });

  it("reads the speaker off a leading name, a tag, or a role that is a name", async () => {
    for (const spoken of [
      { rawText: "Caroline: The adoption went through" },
      { rawText: "The adoption went through", tags: { speaker: "Caroline" } },
      { rawText: "The adoption went through", role: "Caroline" },
    ]) {
      const hits = await search(memoryOf([...filler(5), spoken]), "Caroline adoption");
      expect(hits[0]?.entryId).toBe("e5");
      expect(hits[0]?.why.speaker).toBeGreaterThan(0);
    }
  });

  it("takes the first name in a record of a talk for a word: everybody speaks in it", async () => {
    const rawText = "Caroline: How did the race go?\nMelanie: I came in third.";
    const [hit] = await search(memoryOf([...filler(5), { rawText }]), "Melanie race");
    expect(hit).toMatchObject({ entryId: "e5", why: { speaker: 0 } });
    expect(hit?.why.terms.map(({ word }) => word)).toEqual(["Melanie", "race"]);
    expect((await search(memoryOf([...filler(5), { rawText }]), "Caroline race"))[0]?.why.terms).toHaveLength(2);
  });

  it("takes no role of a protocol for a name", async () => {
    const [hit] = await search(memoryOf([{ rawText: "A user moved", role: "User" }, ...filler(4)]), "user");
    expect(hit?.why.speaker).toBe(0);
  });

  it("takes what follows a question for its answer, between people", async () => {
    const neighbours = async (before: string, speakers: readonly Partial<SourceEntry>[]) => {
      const [asking, answering] = speakers;
      const talk = [...filler(4), { rawText: before, ...asking }, { rawText: "A lake in the evening", ...answering }];
      const hits = await search(memoryOf([...talk, ...filler(4)]), "painted last weekend");
      return hits.find(({ entryId }) => entryId === "e5")?.why.neighbours ?? 0;
    };
    const people = [{ speaker: "Ana" }, { speaker: "Ben" }];
    const [asked, stated] = ["And you painted last weekend, right?", "And you painted last weekend, right."];
    expect(await neighbours(asked, people)).toBeGreaterThan(1.4 * (await neighbours(stated, people)));
    const withAssistant = [{ role: "assistant" }, { role: "user" }];
    expect(await neighbours(asked, withAssistant)).toBeCloseTo(await neighbours(stated, withAssistant), 1);
  });

  it("finds what a named speaker said last if nothing else is asked", async () => {
    const found = await ids([{ rawText: "So it is.", speaker: "Caroline" }, ...filler(4)], "Caroline?");
    expect(found).toEqual(["e0"]);
  });

  it("prefers what happened, or is spoken of, when the query says", async () => {
    const dinner = (day: string, rawText = "We had dinner with the neighbours") => ({
      rawText,
      occurredAt: `${day}T20:00:00.000Z`,
      sessionKey: day,
    });
    const days = [dinner("2023-03-02"), dinner("2023-05-20"), dinner("2023-09-01"), ...filler(6)];
    expect((await ids(days, "dinner with the neighbours in May 2023"))[0]).toBe("e1");
    expect((await ids(days, "dinner with the neighbours in September"))[0]).toBe("e2");
    const told = [dinner("2023-06-30"), dinner("2023-05-08", "Yesterday dinner with the neighbours"), ...filler(6)];
    const [best] = await search(memoryOf(told), "dinner on 7 May 2023");
    expect(best?.entryId).toBe("e1");
    expect(best?.why.date).toBeGreaterThan(0);
    // nothing but the date is asked for
    expect((await ids(days, "What was on 20 May 2023?"))[0]).toBe("e1");
  });

  it("finds the answer that shares no word with the query by the question before it", async () => {
    const talk = ["Which resin do you burn?", "Amber, since I was small.", "Lovely."];
    const apart = filler(8).map((rawText) => ({ rawText, sessionKey: "other" }));
    const hits = await ids([...apart, ...talk], "What resin is burnt?");
    expect(hits.slice(0, 2)).toContain("e9");
    const asOthers = talk.map((rawText, index) => ({ rawText, sessionKey: `alone ${index}` }));
    expect(await ids([...apart, ...asOthers], "What resin is burnt?")).toEqual(["e8"]);
  });

  it("finds what is told by other words of the topic asked for, and says so", async () => {
    const [hit] = await search(memoryOf([...filler(8), "The cat Tom hates the stairs"]), "Which pets does she have?");
    expect(hit?.entryId).toBe("e8");
    expect(hit?.why.terms).toEqual([{ term: "pet", word: "pets", weight: expect.any(Number), topics: ["pets"] }]);
    // the word itself says more than one of its topic
    const both = await search(memoryOf(["The cat Tom slept", ...filler(8), "My pets slept"]), "pets");
    const score = (id: string) => both.find(({ entryId }) => entryId === id)?.why.terms[0]?.weight ?? 0;
    expect(score("e9")).toBeGreaterThan(score("e0"));
    expect(score("e0")).toBeGreaterThan(0);
    // a topic is asked for by some words and told by others: who names a cat asks for that cat
    expect(await ids(["My hamster died", ...filler(8)], "cat")).toEqual([]);
  });

  it("collapses identical and nearly identical entries and names those left out", async () => {
    const text = "Remember that the boiler in the cellar has to be serviced by the plumber every second autumn";
    const same = [
      text,
      "Something else about a boiler",
      `${text}!`,
      text.replace("Remember", "remember"),
      ...filler(5),
    ];
    const hits = await search(memoryOf(same), "when is the boiler serviced?");
    expect(hits.map(({ entryId }) => entryId).filter((id) => ["e0", "e2", "e3"].includes(id))).toHaveLength(1);
    expect(hits[0]?.duplicates).toHaveLength(2);
    // the same words on two days are two facts, and so are the same words from two people
    const runs = ["2024-01-01", "2024-01-08"].map((day) => ({
      rawText: "I ran today",
      occurredAt: `${day}T09:00:00.000Z`,
    }));
    expect((await ids([...runs, ...filler(5)], "ran")).slice(0, 2).sort()).toEqual(["e0", "e1"]);
    const voices = ["Anna", "Ben"].map((speaker) => ({ rawText: "I like plums", speaker }));
    expect((await ids([...voices, ...filler(5)], "plums")).slice(0, 2).sort()).toEqual(["e0", "e1"]);
  });

  it("returns as many hits as asked for, however many repeat one another", async () => {
    const repeated = Array.from({ length: 120 }, () => "The very same boiler notice for the cellar door");
    const others = ["boiler one is warm", "boiler two is cold", "boiler three is gone"];
    const hits = await ids([...others, ...repeated], "boiler", { limit: 4 });
    expect(hits).toHaveLength(4);
  });

  it("searches summaries and tags, and counts a word in text and summary once", async () => {
    const parts = [
      { rawText: "It's the blue one.", summary: "Anna's passport is the blue one.", tags: { topic: "travel" } },
      ...filler(6),
    ];
    expect(await ids(parts, "passport")).toContain("e0");
    expect(await ids(parts, "travel")).toContain("e0");
    const [hit] = await search(memoryOf([{ rawText: "passport", summary: "passport" }, ...filler(6)]), "passport");
    expect(hit?.why.terms).toHaveLength(1);
    expect(hit?.why.terms[0]?.weight).toBeLessThan(2.2);
  });

  it("finds text without spaces, identifiers, numbers and other forms of a word", async () => {
    const texts = [
      "昨日は東京タワーに登りました",
      "The bug is in src/billing/invoiceQueue.ts",
      "Paid 1,450 euros",
      ...filler(6),
    ];
    expect((await ids(texts, "東京タワー"))[0]).toBe("e0");
    expect((await ids(texts, "invoice_queue"))[0]).toBe("e1");
    expect((await ids(texts, "invoiceQueue.ts"))[0]).toBe("e1");
    expect((await ids(texts, "1450"))[0]).toBe("e2");
    expect((await ids(texts, "paying"))[0]).toBe("e2");
  });

  it("blends vectors in where there are any", async () => {
    const texts = ["My feline friend sleeps all day", ...filler(12)];
    expect(await ids(texts, "cat")).toEqual([]);
    const similarities = new Map([
      ["e0", 0.82],
      ["e5", 0.31],
    ]);
    const hits = await search(memoryOf(texts), "cat", { similarities });
    expect(hits.map(({ entryId }) => entryId)).toEqual(["e0", "e5"]);
    expect(hits[0]?.why.vector).toBeGreaterThan(0);
  });

  it("shows only what is accepted, and still lets the rest speak for its neighbours", async () => {
    const texts = [
      { rawText: "Which instrument do you play?", role: "user" },
      { rawText: "The clarinet.", role: "assistant" },
      ...filler(6).map((rawText) => ({ rawText, sessionKey: "other" })),
    ];
    expect(await ids(texts, "instrument", { accepts: ({ role }) => role === "assistant" })).toEqual(["e1"]);
  });

  it("returns nothing for a query that says nothing, or an empty memory", async () => {
    expect(await ids(filler(5), "")).toEqual([]);
    expect(await ids(filler(5), "what is it?")).toEqual([]);
    expect(await ids(filler(5), "xylophone")).toEqual([]);
    expect(await ids([], "anything in May 2023")).toEqual([]);
  });

  it("chooses as seeds the entries that match best themselves", async () => {
    const source = memoryOf(["kite", "kite barn", ...filler(5)]);
    const query = parseQuery("kite barn");
    const statistics = await source.statistics(["kite", "barn"]);
    const probes = [{ anyOf: [["kite"], ["barn"]], limit: 9 }];
    const found = await source.candidates({ probes, dateProbes: [], entryIds: [], maxCandidates: 9 });
    expect(chooseSeeds(query, found, statistics, 1).map(({ entryId }) => entryId)).toEqual(["e1"]);
  });
});
