import { describe, expect, it } from "vitest";
import { search } from "../../../src/memory/retrieval/search.js";
import type { SourceEntry } from "../../../tools/evaluation/evaluation.js";
import { everyScript } from "../../support/scripts.js";
import { filler, memoryOf } from "./builders.js";

type Part = string | Partial<SourceEntry>;

async function found(parts: readonly Part[], query: string, limit = 10): Promise<string[]> {
  return (await search(memoryOf(parts), query, { limit })).map(({ entryId }) => entryId);
}
const user = (rawText: string): Part => ({ rawText, role: "user" });
const assistant = (rawText: string): Part => ({ rawText, role: "assistant" });
const standalone = (rawText: string): Part => ({ rawText, threadId: "" });

describe("a speaker's own facts", () => {
  const talk = [
    user("My locker number is 4711, by the way."),
    assistant(
      "Thanks for telling me your locker number! I have noted your locker number. Anything else about your locker?",
    ),
    user("Nice weather today."),
    assistant("I'm glad to hear that! Is there anything else that I can help you with?"),
    ...filler(20).map(user),
  ];

  it("stand above the assistant's boilerplate about them", async () => {
    const [first] = await found(talk, "What is my locker number?");
    expect(first).toBe("e0");
  });

  it("don't stand above what the assistant said where that is asked for", async () => {
    const recommended = [user("Which tea helps?"), assistant("I recommend ginger tea."), ...filler(20).map(user)];
    expect(await found(recommended, "Which tea did you recommend?", 1)).toEqual(["e1"]);
  });

  it("bring no assistant's reply along that shares no word with the question", async () => {
    expect(await found(talk, "What is my locker number?")).not.toContain("e3");
  });
});

describe("entries without a conversation", () => {
  const notes = [
    "The boiler was serviced in March.",
    "Milk, bread, eggs.",
    "Call grandmother on Sunday.",
    "The boiler makes a humming sound.",
  ];

  it("say nothing for what stands beside them by chance", async () => {
    expect((await found(notes.map(standalone), "boiler service")).sort()).toEqual(["e0", "e3"]);
  });

  it("aren't worth less for being short", async () => {
    const parts = [...filler(30), "The safe code is 9182."].map(standalone);
    const [best] = await search(memoryOf(parts), "safe code", { limit: 1 });
    expect(best).toMatchObject({ entryId: "e30", why: { form: 0, neighbours: 0, session: 0 } });
  });
});

describe("lines of a talk that were written directly", () => {
  const at = (minute: number): string => new Date(Date.UTC(2024, 2, 4, 10, minute)).toISOString();
  const talk = ["Which resin do you burn?", "Amber, since I was small.", "Lovely."];
  const apart = filler(8).map((rawText, index) => ({ rawText, occurredAt: at(200 + 60 * index) }));
  const written = (parts: readonly Partial<SourceEntry>[]): Part[] =>
    parts.map((part) => ({ sessionKey: " 2024-03-04", ...part, threadId: "" }));
  const said = (rawText: string, index: number, fields: Partial<SourceEntry> = {}): Partial<SourceEntry> => ({
    rawText,
    occurredAt: at(index),
    ...fields,
  });
  const speakers = ["Ana", "Ben"];

  it("are found as messages of a thread are, by who speaks, their order and their times", async () => {
    const lines = [...talk.map((text, index) => said(text, index, { speaker: speakers[index % 2] })), ...apart];
    const question = "Which resin does Ben burn?";
    const threaded = await search(memoryOf(lines), question);
    const direct = await search(memoryOf(written(lines)), question);
    expect(direct.map(({ entryId }) => entryId)).toEqual(threaded.map(({ entryId }) => entryId));
    const answer = direct.find(({ entryId }) => entryId === "e1");
    expect(answer?.why).toEqual(threaded.find(({ entryId }) => entryId === "e1")?.why);
    expect(answer?.why.neighbours).toBeGreaterThan(0);
  });

  it("are found with an assistant's before and after them, where nobody has a name", async () => {
    const roles = ["assistant", "user"];
    const lines = [...talk.map((text, index) => said(text, index, { role: roles[index % 2] })), ...apart];
    expect(await found(written(lines), "What resin is burnt?")).toContain("e1");
  });

  it("are no lines of one talk hours apart", async () => {
    const lines = [...talk.map((text, index) => said(text, 60 * index, { speaker: speakers[index % 2] })), ...apart];
    expect(await found(written(lines), "What resin is burnt?")).toEqual(["e0"]);
  });
});

describe("what stands around an entry", () => {
  const talk = [
    assistant("Shall I change your delivery address? Anything else about your delivery address?"),
    user("No, thanks."),
    user("Our address is 12 Quay Road."),
    ...filler(20).map(user),
  ];

  it("never lifts one without a word of the question above one that has a word", async () => {
    for (const question of ["delivery address", "What is our delivery address?", "address"]) {
      const hits = await search(memoryOf(talk), question);
      const holds = hits.map(({ why }) => why.terms.length > 0);
      expect(holds, question).toEqual([...holds].sort((a, b) => Number(b) - Number(a)));
      const scores = hits.map(({ score }) => score);
      expect(scores, question).toEqual([...scores].sort((a, b) => b - a));
      expect(
        hits.find(({ entryId }) => entryId === "e2"),
        question,
      ).toBeDefined();
    }
  });

  it("adds no more than it scores itself after its form", async () => {
    const hits = await search(memoryOf(talk), "delivery address");
    const scoreAlone = (id: string): number => {
      const why = hits.find(({ entryId }) => entryId === id)?.why;
      return (why?.terms.reduce((sum, { weight }) => sum + weight, 0) ?? 0) + (why?.form ?? 0);
    };
    const thanks = hits.find(({ entryId }) => entryId === "e1");
    const most = Math.max(0, scoreAlone("e0")) + Math.max(0, scoreAlone("e2"));
    expect(thanks?.why.neighbours).toBeLessThanOrEqual(most);
    // A neighbour whose form takes all of its score away passes nothing on.
    const faint = [assistant("Shall I order rope too?"), user("Fine."), ...filler(20).map(user)];
    expect(await found(faint, "rope", 40)).toContain("e1");
    expect(await found(faint, "rope candle anchor pulley mast", 40)).not.toContain("e1");
  });
});

describe("documents", () => {
  const words = (count: number): string => filler(Math.ceil(count / 6)).join(" ");

  it("are found by what they are about before those that mention it among much else", async () => {
    const mentions = `The lighthouse keeper was ill. ${words(1_500)} The lighthouse keeper came back. ${words(1_500)}`;
    const about = `The lighthouse keeper. ${words(200)}`;
    expect(await found([mentions, about, ...filler(10)].map(standalone), "lighthouse keeper")).toEqual(["e1", "e0"]);
  });

  it("are as long as they are beside short lines, too", async () => {
    const document = standalone(`The lighthouse keeper lives in the tower. ${words(800)}`);
    const hits = await found(
      [...filler(40), document].map((part) => part),
      "Where does the lighthouse keeper live?",
    );
    expect(hits[0]).toBe("e40");
  });
});

describe("long entries", () => {
  const page = (about: string, start: number): string =>
    [...filler(90).slice(start, start + 20), about, ...filler(90).slice(start + 20, start + 40)].join(" ");

  it("are found by the passage that answers, however long the rest is", async () => {
    const scattered = [
      "The warranty of the oven is void.",
      ...filler(25),
      "A dishwasher was delivered.",
      ...filler(25),
      "Some things last.",
    ].join(" ");
    const parts = [page("The warranty of the dishwasher lasts three years.", 3), scattered, page("Nothing here.", 7)];
    expect((await found(parts.map(standalone), "How long does the warranty of the dishwasher last?"))[0]).toBe("e0");
  });

  it("lose no word, wherever it stands", async () => {
    const words = [0, 40, 90].map((place) =>
      filler(90).toSpliced(place, 0, "The password hint is marmalade.").join(" "),
    );
    for (const text of words) expect(await found([standalone(text)], "marmalade")).toEqual(["e0"]);
  });
});

describe("words beyond English", () => {
  it.each<[language: string, told: string, asked: string]>([
    ["German", "Die Rechnungen für die Werkstatt liegen im Schrank.", "Wo ist die Rechnung?"],
    ["French", "Nous avons réservé deux chambres à Lyon.", "Quelle chambre avons-nous réservée ?"],
    ["Spanish", "Mis hermanas viven en Sevilla.", "¿Dónde vive mi hermana?"],
    ["Russian", "Ключи от машины лежат на полке.", "Где ключ от машин?"],
    ["Polish", "Paszporty są w szufladzie.", "Gdzie jest paszport?"],
    ["Turkish", "Anahtarlarım çantada.", "Anahtar nerede?"],
    ["Arabic", "وضعت المفاتيح في الدرج", "أين مفاتيح السيارة"],
    ["Finnish", "Avaimet ovat laatikossa.", "Missä avaimeni ovat äiti?"],
  ])("are found in another form: %s", async (_language, told, asked) => {
    expect(await found([...filler(20), told], asked, 1)).toEqual(["e20"]);
  });

  it("aren't looked for in English, where words have stems", async () => {
    expect(await found(["The police came.", ...filler(20)], "What is the policy?")).toEqual([]);
  });
});

describe("any text", () => {
  it.each(everyScript)("of %s is kept and searched, and the same each time", async (_name, sample) => {
    const long = sample.repeat(Math.ceil(10_000 / sample.length));
    const parts = [long, sample, ...filler(5)];
    const once = await search(memoryOf(parts), sample, { limit: 5 });
    expect(await search(memoryOf(parts), sample, { limit: 5 })).toEqual(once);
    await search(memoryOf(parts), long);
  });
});
