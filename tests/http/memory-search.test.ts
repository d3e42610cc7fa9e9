import { describe, expect, it } from "vitest";
import { meanFigures, plainBm25, readLocomo } from "../../scripts/evaluation/evaluation.js";
import { questionFigures } from "../../scripts/evaluation/metrics.js";
import fixture from "../memory/retrieval/fixture-conversation.json";
import { newMemory } from "../support/memory.js";

describe("search through the API", () => {
  it("finds more of what our own conversation is asked about than plain BM25 does", async () => {
    const [conversation] = readLocomo(fixture);
    if (conversation === undefined) throw new Error("the fixture is empty");
    const memory = await newMemory();
    const { messages } = await memory.call("POST", "/threads/main/messages", {
      messages: conversation.turns.map(({ role, speaker, text, occurredAt }) => ({
        role,
        speaker,
        content: text,
        occurredAt,
      })),
    });
    await memory.settled();
    const idOf = new Map<string, string>(
      messages.map(({ entryId }: { entryId: string }, at: number) => [entryId, conversation.turns[at]?.id ?? ""]),
    );
    const plain = plainBm25(conversation.turns);
    const [ours, baseline] = [[], []].map(() => [] as ReturnType<typeof questionFigures>[]);
    for (const { question, evidence } of conversation.questions) {
      const { entries } = await memory.call("POST", "/search", { query: question, topEntries: 25 });
      const found = entries.map(({ entry }: { entry: { entryId: string } }) => idOf.get(entry.entryId) ?? "");
      ours?.push(questionFigures(found, evidence));
      baseline?.push(questionFigures(plain(question), evidence));
    }
    const [reached, toBeat] = [meanFigures(ours ?? []), meanFigures(baseline ?? [])];
    expect(reached.recall5).toBeGreaterThan(toBeat.recall5);
    expect(reached.recall10).toBeGreaterThanOrEqual(0.75);
    expect(reached.ndcg10).toBeGreaterThan(toBeat.ndcg10);
  });
});
