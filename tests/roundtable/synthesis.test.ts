import { describe, expect, it } from "vitest";
import { materialText } from "../../src/roundtable/debate-material.js";
import { pseudonym } from "../../src/roundtable/prompts.js";
import { nameIn } from "../../src/roundtable/reading/names.js";
import { readSynthesis, type SynthesisInput, synthesisOfRounds } from "../../src/roundtable/synthesis.js";
import { debate, position } from "./support.js";

const roleIn = (from: ReturnType<typeof debate>) => (seat: string) => from.seats.find(({ id }) => id === seat)?.role;
function inputOf(from = debate()): SynthesisInput {
  const consensus = from.rounds.at(-1)?.consensus;
  if (consensus === undefined) throw new Error("the debate has no consensus");
  return { ...from, topic: from.topic ?? "", nameOf: nameIn(from), roleOf: roleIn(from), consensus };
}
const good = { conclusion: "Migrate in May [C1].", recommendation: "Begin with a rehearsal.", confidence: 0.8 };
function synthesisOf(value: object) {
  const read = readSynthesis(value, inputOf());
  if (!read.ok) throw new Error(read.problem);
  return read.value;
}

describe("a synthesis as a model writes it", () => {
  it("carries the minority, whatever the model says", () => {
    expect(synthesisOf({ ...good, minority: [] }).minority).toMatchObject([
      { seats: ["cem"], stance: "NO", reasoning: "It works." },
    ]);
  });

  it("cites what the debate had, by label, address or title, in its list and in its text", () => {
    const budget = { title: "Budget [draft]", url: "https://example.com/budget" };
    for (const name of ["S1", "[s1]", "https://example.com/budget", { title: "Budget [draft]" }]) {
      expect(synthesisOf({ ...good, citations: [name] })).toMatchObject({
        citations: [budget],
        citedContext: ["ask_1"],
        unknownCitations: [],
      });
    }
  });

  it("loses citations that nobody in the debate had, and says which", () => {
    const invented = ["S9", "C2", "https://example.com/made-up"];
    expect(synthesisOf({ ...good, citations: invented })).toMatchObject({
      citations: [],
      citedContext: ["ask_1"],
      unknownCitations: invented,
    });
  });

  it("is as sure as the panel where it doesn't say", () => {
    expect(synthesisOf({ conclusion: "Migrate." }).confidence).toBeCloseTo(0.833, 2);
  });

  it.each([
    [{ recommendation: "Go." }, "conclusion: "],
    [{ ...good, conclusion: "" }, "conclusion: it is empty"],
    [{ ...good, confidence: "sure" }, "confidence is a number from 0 to 1"],
  ])("is refused with words that say what would be right: %#", (value, words) => {
    expect(readSynthesis(value, inputOf())).toMatchObject({ ok: false, problem: expect.stringContaining(words) });
  });
});

describe("a synthesis without a model", () => {
  it("is put together from the rounds, and says so", () => {
    expect(synthesisOfRounds(inputOf())).toMatchObject({
      writtenBy: "rounds",
      conclusion: expect.stringContaining("2 of 3 are of one view."),
      recommendation: expect.stringContaining("divided"),
      evolution: "Ben Baker moved from NO to YES, towards Ana Alvarez, with new evidence (confidence 0.60 → 0.80).",
      citations: [{ url: "https://example.com/budget" }],
      citedContext: ["ask_1"],
      minority: [{ seats: ["cem"] }],
      round: 2,
    });
  });
});

describe("what an analyst and a synthesis read", () => {
  it("is the debate as data: positions, what was answered, sources, how it came about", () => {
    const text = materialText(inputOf(), 20_000);
    expect(text).toContain('<position from="Ben Baker" round="2" stance="YES" confidence="0.80" cites="C1">');
    expect(text).toContain('<position from="Ana Alvarez" role="red" round="2"');
    expect(text).toContain('<context id="C1" question="What is the budget for May?"');
    expect(text).toContain('<source id="S1" url="https://example.com/budget">');
    expect(text).toContain(
      '<position from="Ana Alvarez" role="red" round="1" stance="YES" confidence="0.90">\nMigrate',
    );
    expect(text.startsWith("The topic of the debate: Shall we migrate the ledger?\n\n")).toBe(true);
  });

  it("names nobody where nobody is to be known", () => {
    const seats = debate().seats;
    const nameOf = (seat: string) => pseudonym(seats.findIndex(({ id }) => id === seat));
    const text = materialText({ ...inputOf(), nameOf }, 20_000);
    expect(text).toContain('from="Panelist B"');
    expect(text).not.toMatch(/\b(?:ana|ben|cem|Alvarez|Baker|Cinar|banker)\b/i);
  });

  it.each([4_000, 20_000, 80_000])("keeps within %i characters, the topic aside, however long the debate", (room) => {
    const rounds = Array.from({ length: 10 }, (_, at) => ({
      round: at + 1,
      positions: Array.from({ length: 10 }, (_seat, seat) =>
        position(`seat-${seat}`, "<&> ledger ".repeat(300), {
          round: at + 1,
          reasoning: "<&> because ".repeat(900),
          citations: Array.from({ length: 20 }, (_c, nth) => ({
            title: `Source ${at} ${seat} ${nth}`,
            snippet: "<".repeat(900),
          })),
        }),
      ),
    }));
    const requests = Array.from({ length: 30 }, (_, at) => ({
      ...(debate().requests[0] ?? { query: "" }),
      requestId: `ask_${at}`,
      number: at + 1,
      result: "&".repeat(100_000),
    }));
    const text = materialText(
      { ...inputOf(), rounds, requests: requests.flatMap((one) => ("status" in one ? [one] : [])) },
      room,
    );
    expect(text.length).toBeLessThan(room + 200);
    expect(text.match(/<position [^>]* round="10"/g)).toHaveLength(10);
  });
});
