import { describe, expect, it } from "vitest";
import { contextProblems, maxContextCharacters, parseContext } from "../../src/memory/context-document.js";
import {
  itemsOfText,
  itemsOfVersion,
  mergeContexts,
  originsByHand,
  storeItems,
} from "../../src/memory/context-items.js";
import { extractiveContext, extractiveSummary } from "../../src/memory/extractive.js";

const itemsOf = (document: string) => itemsOfVersion({ version: 1, document, origins: [] });
const fitContext = (document: string) => storeItems(itemsOf(document)).document;
const merged = (...documents: readonly [string, string, string]) => {
  const [base, theirs, mine] = documents;
  return storeItems(mergeContexts(itemsOf(base), itemsOf(theirs), itemsOf(mine))).document;
};

const entry = (content: string, summary = "") => ({
  entryId: "ent_1",
  seq: 1,
  role: "user",
  content,
  summary,
  occurredAt: "2024-05-01T10:00:00.000Z",
});

describe("a context document", () => {
  it("is written in the order of the headings, without empty ones, each item once", () => {
    const text = "## Notes\n* one\n\n## Facts\n1. two\n- two\n\n## Topics\n";
    expect(fitContext(text)).toBe("## Facts\n- two\n\n## Notes\n- one");
  });

  it("keeps text that stands before any heading", () => {
    expect(fitContext("Ada, a sailor.\n# Facts\n- The boat is red.")).toBe(
      "## Description\n- Ada, a sailor.\n\n## Facts\n- The boat is red.",
    );
  });

  it("is refused with what would be right", () => {
    expect(contextProblems("")).toEqual(["the document is empty"]);
    expect(contextProblems("## Musings\n- x")).toMatchObject([expect.stringContaining("Description, Facts")]);
    expect(contextProblems("just text")).toMatchObject([expect.stringContaining("no heading")]);
    expect(contextProblems(`## Facts\n- ${"x".repeat(5_000)}`)).toMatchObject([
      expect.stringContaining("at most 5000"),
    ]);
    expect(contextProblems("## Facts\n- All well.")).toEqual([]);
  });

  it("is made to fit by dropping the least durable, oldest first; the durable four stay", () => {
    const items = (heading: string) =>
      `## ${heading}\n${Array.from({ length: 30 }, (_, at) => `- ${heading} item ${at} ${"x".repeat(30)}`).join("\n")}`;
    const fitted = fitContext(
      ["Facts", "Decisions", "Topics", "Entities", "Notes", "Timeline"].map(items).join("\n\n"),
    );
    expect(fitted.length).toBeLessThanOrEqual(maxContextCharacters);
    const sections = parseContext(fitted);
    expect(sections.get("Facts")).toHaveLength(30);
    expect(sections.get("Decisions")).toHaveLength(30);
    expect(sections.has("Topics")).toBe(false);
    expect(sections.get("Timeline")?.at(-1)).toContain("item 29");
  });

  it("fits even when a single durable item is too long", () => {
    const fitted = fitContext(`## Facts\n- ${"x".repeat(9_000)}`);
    expect(fitted.length).toBeLessThanOrEqual(maxContextCharacters);
    expect(fitted).toContain("## Facts\n- xxx");
  });
});

const base = "## Facts\n- Lives in Rome.\n- Has a cat.";

describe("merging", () => {
  it("keeps what either side added and drops what either side dropped", () => {
    const theirs = "## Facts\n- Has a cat.\n- Has a boat.\n- Rome → Turin [2024-05-01]";
    const mine = "## Facts\n- Lives in Rome.\n\n## Preferences\n- Likes tea.";
    expect(merged(base, theirs, mine)).toBe(
      "## Facts\n- Has a boat.\n- Rome → Turin [2024-05-01]\n\n## Preferences\n- Likes tea.",
    );
  });

  it("doesn't write twice what both added, and is the other's text when nothing was changed", () => {
    const both = `${base}\n- Has a dog.`;
    expect(merged(base, both, both)).toBe(both);
    expect(merged(base, both, base)).toBe(both);
  });
});

describe("what a person wrote", () => {
  const byHand = (text: string) => ({ heading: "Topics" as const, text, origin: { by: "person" as const } });

  it("is cut only when there is nothing else to cut", () => {
    const others = itemsOf(
      `## Facts\n${Array.from({ length: 40 }, (_, at) => `- Fact ${at} ${"x".repeat(150)}`).join("\n")}`,
    );
    const { document } = storeItems([byHand("Written by Ada."), ...others]);
    expect(document.length).toBeLessThanOrEqual(maxContextCharacters);
    expect(document).toContain("- Written by Ada.");
  });

  it("survives a synthesis that knew nothing of it", () => {
    const theirs = [...itemsOf(base), byHand("Written by Ada.")];
    const mine = itemsOf("## Facts\n- Lives in Turin.");
    const texts = mergeContexts([byHand("Written by Ada.")], theirs, mine).map(({ text }) => text);
    expect(texts).toContain("Written by Ada.");
  });

  it("is every line that wasn't there before", () => {
    const before = itemsOf(base);
    expect(itemsOfText(`${base}\n- Has a dog.`).map(({ text }) => text)).toHaveLength(3);
    expect(originsByHand(`${base}\n- Has a dog.`, before)).toEqual([
      { by: "entries", entries: [], upTo: 1 },
      { by: "entries", entries: [], upTo: 1 },
      { by: "person" },
    ]);
  });
});

describe("extracts", () => {
  it("are at most 512 characters, cut between sentences or words, whole in short texts", () => {
    expect(extractiveSummary("Short.")).toBe("Short.");
    const cut = extractiveSummary("A sentence. ".repeat(100));
    expect(cut.length).toBeLessThanOrEqual(512);
    expect(cut.endsWith("sentence.")).toBe(true);
    expect(extractiveSummary("😀".repeat(400)).isWellFormed()).toBe(true);
  });

  it("keep what the context held, and are marked", () => {
    expect(storeItems(extractiveContext(itemsOf("## Facts\n- Has a cat."), [entry("I bought a boat.")])).document).toBe(
      "## Facts\n- Has a cat.\n\n## Timeline\n- 2024-05-01 user: I bought a boat. [extract]",
    );
  });
});
