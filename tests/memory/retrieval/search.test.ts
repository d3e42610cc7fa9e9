import { describe, expect, it } from "vitest";
import type { SourceEntry } from "../../../scripts/evaluation/evaluation.js";
import { search } from "../../../src/memory/retrieval/search.js";
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
