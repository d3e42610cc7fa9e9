import { describe, expect, it } from "vitest";
import { meanFigures, plainBm25, readLocomo } from "../../tools/evaluation/evaluation.js";
import { questionFigures } from "../../tools/evaluation/metrics.js";
import { filler } from "../memory/retrieval/builders.js";
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

  it.each([
    ["German", "Die Rechnungen liegen im Schrank.", "Wo ist die Rechnung?"],
    ["Russian", "Ключи от машины лежат на полке.", "Где ключ от машин?"],
    ["Arabic", "وضعت المفاتيح في الدرج", "أين مفاتيح السيارة"],
  ])("finds other forms of a word in %s, among the words of this memory alone", async (_language, told, asked) => {
    const [memory, other] = [await newMemory(), await newMemory()];
    await memory.call("POST", "/entries", { rawEntry: told });
    await memory.call("POST", "/entries", { rawEntry: "Nothing of that kind." });
    await other.call("POST", "/entries", { rawEntry: told });
    const { entries } = await memory.call("POST", "/search", { query: asked });
    expect(entries).toMatchObject([{ entry: { rawEntry: told } }]);
  });

  it("reads long entries as well as short ones, and finds what stands in the middle of them", async () => {
    const memory = await newMemory();
    const page = (about: string) => [...filler(60).slice(0, 30), about, ...filler(60).slice(30)].join(" ");
    const { entryId } = await memory.call("POST", "/entries", {
      rawEntry: page("The safe code is in the marmalade jar."),
    });
    await memory.call("POST", "/entries", { rawEntry: page("The code of conduct hangs on the wall.") });
    const { entries } = await memory.call("POST", "/search", { query: "Where is the safe code?" });
    expect(entries[0]).toMatchObject({ entry: { entryId }, why: { neighbours: 0, form: 0 } });
  });
});
