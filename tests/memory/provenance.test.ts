import { describe, expect, it } from "vitest";
import { citedItems, numberedItems, withoutCitations } from "../../src/memory/citations.js";
import { type ContextItem, itemsOfVersion, storeItems, withoutEntry } from "../../src/memory/context-items.js";
import { randomFrom } from "../support/random.js";

const entries = ["ent_1", "ent_2", "ent_3"];
const from = (...ids: string[]) => ({ by: "entries" as const, entries: ids });
const fact = (text: string, origin: ContextItem["origin"]): ContextItem => ({ heading: "Facts", text, origin });
const known = { version: 4, items: [fact("Has a cat.", from("ent_0")), fact("Likes tea.", { by: "person" })] };
const nothing = () => false;

describe("what an item rests on", () => {
  it("is what the model cites: entries, and items of the context before", () => {
    const items = citedItems("## Facts\n- Has a cat, Tom. [from c1, 2]\n- Lives in Lyon. [from 3]", known, entries);
    expect(items).toEqual([
      fact("Likes tea.", { by: "person" }),
      fact("Has a cat, Tom.", from("ent_0", "ent_2")),
      fact("Lives in Lyon.", from("ent_3")),
    ]);
  });

  it("is an earlier message, too, where the model cites one", () => {
    const [, item] = citedItems("## Facts\n- Lives in Lyon. [from e2, 1]", known, entries, ["ent_8", "ent_9"]);
    expect(item).toEqual(fact("Lives in Lyon.", from("ent_9", "ent_1")));
    expect(withoutCitations("- Lives in Lyon. [from e2, 1]")).toBe("- Lives in Lyon.");
  });

  it("is everything that the model had before it, where it cites nothing", () => {
    const [, item] = citedItems("## Facts\n- Lives in Lyon.", known, entries);
    expect(item?.origin).toEqual({ by: "entries", entries, upTo: 4 });
  });

  it("stays with an item that the model left as it was, cited or not", () => {
    const items = citedItems("## Facts\n- Has a cat.\n- likes  TEA. [from 1]", known, entries);
    expect(items.map(({ origin }) => origin)).toEqual([from("ent_0"), { by: "person" }]);
  });

  it("is nothing that the model makes up", () => {
    const [, item] = citedItems("## Facts\n- Lives in Lyon. [from 9, c7]", known, entries);
    expect(item?.origin).toEqual({ by: "entries", entries, upTo: 4 });
  });

  it("doesn't count for the length of the document, nor is it stored with it", () => {
    expect(withoutCitations("## Facts\n- A. [from 1]\n- B [from c2, 3] ")).toBe("## Facts\n- A.\n- B");
    expect(numberedItems(known.items)).toBe("## Facts\n- Has a cat. [c1]\n- Likes tea. [c2, a person's]");
  });
});

describe("a deletion", () => {
  const version = (items: ContextItem[]) => ({ version: 5, forgotten: { entries: [] }, ...storeItems(items) });

  it("takes the items that cite the entry; what they rested on besides is forgotten, to be taken in again", () => {
    const before = version([
      fact("A and B.", from("ent_1", "ent_2")),
      fact("C.", from("ent_3")),
      fact("By hand, A too.", { by: "person" }),
    ]);
    expect(withoutEntry(before, { entryId: "ent_1", since: 2, repeats: nothing })).toEqual({
      document: "## Facts\n- C.\n- By hand, A too.",
      origins: [from("ent_3"), { by: "person" }],
      forgotten: { entries: ["ent_2"] },
    });
  });

  it("leaves a version alone that says nothing of the entry", () => {
    const before = version([fact("C.", from("ent_3"))]);
    expect(withoutEntry(before, { entryId: "ent_1", since: 2, repeats: nothing })).toBeUndefined();
  });

  it("takes what may rest on anything, if the entry had been taken in by then", () => {
    const before = version([fact("C.", { ...from("ent_3"), upTo: 2 })]);
    expect(withoutEntry(before, { entryId: "ent_1", since: 3, repeats: nothing })).toBeUndefined();
    expect(withoutEntry(before, { entryId: "ent_1", since: 2, repeats: nothing })).toMatchObject({
      document: "",
      forgotten: { entries: ["ent_3"], upTo: 2 },
    });
  });

  it("takes what repeats words that only the entry has, whatever the model cited", () => {
    const before = version([fact("Owns Zirkonia.", from("ent_3"))]);
    const repeats = (text: string) => text.includes("Zirkonia");
    expect(withoutEntry(before, { entryId: "ent_1", since: 2, repeats })).toMatchObject({
      document: "",
      forgotten: { entries: ["ent_3"] },
    });
  });

  it("takes everything out of a version of which nobody knows what it rests on", () => {
    const before = { version: 5, forgotten: { entries: [] }, document: "## Facts\n- A.\n- B.", origins: [] };
    expect(withoutEntry(before, { entryId: "ent_1", since: 2, repeats: nothing })).toMatchObject({
      document: "",
      forgotten: { upTo: 5 },
    });
  });
});

it("origins stay with their items, however often a document is stored and read again", () => {
  const random = randomFrom(10);
  const one = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0];
  const word = () => one(["- a", "1. b", "## Facts", "c [from 3]", "{d}", "x".repeat(400), "É", "Has a cat."]);
  for (let round = 0; round < 300; round++) {
    const items = Array.from({ length: Math.floor(random() * 40) }, (_, at) => ({
      heading: one(["Facts", "Notes", "Timeline", "Description"] as const),
      text: random() < 0.2 ? word() : `${word()} ${at} ${word()}`,
      origin: random() < 0.3 ? ({ by: "person" } as const) : from(one(["ent_1", "ent_2", "ent_3"])),
    }));
    const stored = storeItems(items);
    const read = itemsOfVersion({ version: 1, ...stored });
    expect(storeItems(read)).toEqual(stored);
    expect(stored.origins).toHaveLength(read.length);
  }
});
