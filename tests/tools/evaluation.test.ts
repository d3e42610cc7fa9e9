import { describe, expect, it } from "vitest";
import {
  evaluate,
  meanFigures,
  ndcgAt,
  percentile,
  plainBm25,
  readLocomo,
  recallAt,
} from "../../tools/evaluation/evaluation.js";
import { evidenceIds, parseLocomoDate } from "../../tools/evaluation/locomo.js";
import fixture from "../memory/retrieval/fixture-conversation.json";

const locomo = [
  {
    sample_id: "conv-0",
    conversation: {
      speaker_a: "Anna",
      speaker_b: "Ben",
      session_2_date_time: "12:05 am on 1 June, 2023",
      session_2: [{ speaker: "Ben", dia_id: "D2:1", text: "Back again." }],
      session_1_date_time: "1:56 pm on 8 May, 2023",
      session_1: [
        { speaker: "Anna", dia_id: "D1:1", text: "I bought a canoe.", blip_caption: "a red boat", query: "canoe" },
        { speaker: "Ben", dia_id: "D1:2", text: "Where will you take it?" },
      ],
      session_10_date_time: "1:00 pm on 2 June, 2023",
    },
    qa: [
      { question: "What did Anna buy?", answer: "a canoe", evidence: ["D1:1; D2:1"], category: 1 },
      { question: "What did Ben buy?", adversarial_answer: "a canoe", evidence: ["D1:1"], category: 5 },
      { question: "Is it known?", answer: 2022, evidence: [], category: 3 },
      { question: "Is it there?", answer: "no", evidence: ["D9:9"], category: 4 },
    ],
  },
];

describe("reading LoCoMo", () => {
  it("gives turns in the order of the sessions and the questions that have an answer", () => {
    const [conversation] = readLocomo(locomo);
    expect(conversation?.turns.map(({ id }) => id)).toEqual(["D1:1", "D1:2", "D2:1"]);
    expect(conversation?.turns[0]).toMatchObject({
      speaker: "Anna",
      caption: "a red boat",
      session: "1",
      occurredAt: "2023-05-08T13:56:00.000Z",
    });
    expect(conversation?.questions).toEqual([
      { id: "0", question: "What did Anna buy?", category: "several turns", evidence: ["D1:1", "D2:1"] },
    ]);
  });

  it("understands its dates and its irregular evidence", () => {
    expect(parseLocomoDate("12:05 am on 1 June, 2023")).toBe("2023-06-01T00:05:00.000Z");
    expect(() => parseLocomoDate("yesterday")).toThrow("Not a session date");
    expect(evidenceIds(["D8:6; D9:17", "D:11:26", "D30:05", "D9:1 D4:4", "D8:6"])).toEqual([
      "D8:6",
      "D9:17",
      "D11:26",
      "D30:5",
      "D9:1",
      "D4:4",
    ]);
  });

  it("refuses what isn't of its form", () => {
    expect(() => readLocomo({})).toThrow();
    expect(() => readLocomo([{ conversation: {}, qa: [{ question: 1 }] }])).toThrow();
  });
});

describe("measures", () => {
  it("takes the share of the evidence among the first results", () => {
    expect(recallAt(["a", "b", "c"], ["c", "x"], 2)).toBe(0);
    expect(recallAt(["a", "b", "c"], ["c", "x"], 3)).toBe(0.5);
    expect(recallAt([], [], 3)).toBe(0);
  });

  it("discounts finds by their rank", () => {
    expect(ndcgAt(["a", "b"], ["a", "b"], 10)).toBe(1);
    expect(ndcgAt(["x", "a"], ["a"], 10)).toBeCloseTo(1 / Math.log2(3), 12);
    expect(ndcgAt(["x"], ["a"], 10)).toBe(0);
  });

  it("averages by questions and takes percentiles by nearest rank", () => {
    const one = { questions: 1, recall5: 1, recall10: 1, recall25: 1, ndcg10: 1 };
    const three = { questions: 3, recall5: 0, recall10: 0, recall25: 0, ndcg10: 0 };
    expect(meanFigures([one, three])).toMatchObject({ questions: 4, recall10: 0.25 });
    expect(meanFigures([])).toMatchObject({ questions: 0, recall10: 0 });
    expect([percentile([4, 1, 3, 2], 0.5), percentile([4, 1, 3, 2], 0.95), percentile([], 0.5)]).toEqual([2, 4, 0]);
  });

  it("has a baseline that is plain BM25", () => {
    const turns = ["A canoe", "canoes canoes", "the canoe the canoe"].map((text, index) => ({
      id: String(index),
      session: "1",
      role: "user",
      text,
      occurredAt: "2023-05-08T13:56:00.000Z",
    }));
    expect(plainBm25(turns)("CANOE")[2]).toBe("1");
  });
});

describe("our search on a conversation of our own", () => {
  const conversations = readLocomo(fixture);

  it("beats plain BM25 in every measure, and in every category whose questions the text answers", async () => {
    let time = 0;
    const { baseline, ours } = await evaluate(conversations, { clock: () => time++ });
    expect(ours.all.questions).toBe(28);
    for (const measure of ["recall5", "recall10", "recall25", "ndcg10"] as const) {
      expect(ours.all[measure], measure).toBeGreaterThan(baseline.all[measure]);
    }
    // the two open questions need knowledge of the world (Lisbon is in Portugal): what words can find there is luck
    for (const category of ["one turn", "several turns", "time"]) {
      expect(ours.byCategory[category]?.recall10, category).toBeGreaterThan(
        baseline.byCategory[category]?.recall10 ?? 1,
      );
    }
    expect(ours.all.recall10).toBeGreaterThan(0.85);
    expect(baseline.all.recall10).toBeLessThan(0.5);
    expect(ours.latency).toEqual({ p50: 1, p95: 1 });
  });
});
