import { describe, expect, it } from "vitest";
import { evaluate, readLongMemEval } from "../../tools/evaluation/evaluation.js";
import { parseLongMemEvalDate } from "../../tools/evaluation/long-mem-eval.js";
import fixture from "../memory/retrieval/fixture-long-mem-eval.json";

const conversations = readLongMemEval(fixture);
const conversation = (id: string) => conversations.find((one) => one.id === id);

/** Texts of our own in every field and shape of the published files: six types, numbers as answers, sessions out of order or twice. */
describe("reading LongMemEval", () => {
  it("gives one conversation a question, in its type, for all but abstention questions", () => {
    expect(conversations.map(({ id, questions }) => [id, questions.map(({ category }) => category)])).toEqual([
      ["q_user", ["single-session-user"]],
      ["q_assistant", ["single-session-assistant"]],
      ["q_preference", ["single-session-preference"]],
      ["gpt4_multi", ["multi-session"]],
      ["gpt4_temporal", ["temporal-reasoning"]],
      ["q_update", ["knowledge-update"]],
    ]);
  });

  it("puts sessions in the order of their dates, and takes roles, texts and times as they are", () => {
    expect(conversation("gpt4_multi")?.turns.map(({ role, text, occurredAt }) => [role, text, occurredAt])).toEqual([
      ["user", "I bought two paddles.", "2023-05-08T12:00:00.000Z"],
      ["assistant", "Great.", "2023-05-08T12:00:00.000Z"],
      ["user", "Thanks!", "2023-05-08T12:00:00.000Z"],
      ["user", "Can you explain how tides work?", "2023-05-25T03:18:00.000Z"],
      ["assistant", "The moon pulls the water.", "2023-05-25T03:18:00.000Z"],
      ["user", "I bought one more paddle today.", "2023-05-28T12:00:00.000Z"],
      ["assistant", "Good.", "2023-05-28T12:00:00.000Z"],
    ]);
    expect(conversation("gpt4_multi")?.questions[0]?.askedAt).toBe("2023-06-02T12:00:00.000Z");
  });

  it("takes the marked turns of the answering sessions as evidence, the assistant's too", () => {
    const evidence = (id: string) => {
      const found = conversation(id);
      return found?.questions[0]?.evidence.map((turn) => found.turns.find((one) => one.id === turn)?.text);
    };
    expect(evidence("gpt4_multi")).toEqual(["I bought two paddles.", "I bought one more paddle today."]);
    expect(evidence("q_assistant")).toEqual(["I recommend epoxy glue for the oar."]);
    const [item] = fixture;
    const elsewhere = { ...item, haystack_sessions: item?.haystack_sessions.map((turns) => [...turns, marked]) };
    expect(readLongMemEval([elsewhere])[0]?.questions[0]?.evidence).toHaveLength(2);
  });

  it("keeps the ids of turns apart when a session stands in a history twice", () => {
    const turns = conversation("q_update")?.turns ?? [];
    expect(turns).toHaveLength(8);
    expect(new Set(turns.map(({ id }) => id)).size).toBe(8);
  });

  it("leaves out questions without marked turns", () => {
    const unmarked = fixture.slice(0, 1).map((item) => ({ ...item, answer_session_ids: [] }));
    expect(readLongMemEval(unmarked)).toEqual([]);
  });

  it("refuses what isn't of its form, and says what", () => {
    const [item] = fixture;
    expect(() => readLongMemEval([{ ...item, haystack_dates: [] }])).toThrow("equally many");
    expect(() => readLongMemEval([{ ...item, answer_session_ids: ["other"] }])).toThrow("answer_session_ids");
    expect(() => readLongMemEval([{ ...item, haystack_sessions: "none" }])).toThrow("haystack_sessions");
    expect(() => parseLongMemEvalDate("20 May 2023")).toThrow("Not a date of LongMemEval");
    expect(parseLongMemEvalDate("2023/05/20")).toBe("2023-05-20T00:00:00.000Z");
  });

  it("can be measured, by type", async () => {
    const { ours } = await evaluate(conversations);
    expect(Object.keys(ours.byCategory)).toHaveLength(6);
    expect(ours.all.recall10).toBe(1);
  });
});

const marked = { role: "user", content: "Marked.", has_answer: true };
