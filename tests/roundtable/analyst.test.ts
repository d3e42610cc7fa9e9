import { describe, expect, it } from "vitest";
import { readAnalysis } from "../../src/roundtable/analyst.js";

const good = { agreementLevel: 0.6, summary: "Two for, one against.", commonGround: ["A rollback is needed."] };

describe("what an analyst writes", () => {
  it("is taken with what it leaves out as nothing", () => {
    expect(readAnalysis(good)).toEqual({ ok: true, value: { ...good, disagreements: [], nuances: [] } });
  });

  it("is put right where that takes no guess", () => {
    const loose = {
      ...good,
      agreementLevel: "60 %",
      disagreements: "Ana and Ben differ on May.",
      nuances: [{ who: "Ben", what: "only with a rollback" }],
      groupthinkWarning: "None.",
      veto: " ",
    };
    expect(readAnalysis(loose)).toEqual({
      ok: true,
      value: {
        ...good,
        disagreements: ["Ana and Ben differ on May."],
        nuances: ["Ben: only with a rollback"],
      },
    });
  });

  it("may object to an end, and warn", () => {
    const warning = { groupthinkWarning: "All cite the same blog.", veto: "Nobody asked what it costs." };
    expect(readAnalysis({ ...good, ...warning })).toMatchObject({ value: warning });
  });

  it.each([
    [{ ...good, summary: " " }, "summary: it is empty"],
    [{ ...good, agreementLevel: "high" }, 'agreementLevel is a number from 0 to 1, not "high"'],
    [{ summary: "Hm." }, "agreementLevel: "],
  ])("is refused with words that say what would be right: %#", (value, words) => {
    expect(readAnalysis(value)).toMatchObject({ ok: false, problem: expect.stringContaining(words) });
  });

  it("has no more items, and no longer ones, than are kept", () => {
    const read = readAnalysis({ ...good, nuances: Array.from({ length: 50 }, () => "word ".repeat(1_000)) });
    if (!read.ok) throw new Error(read.problem);
    expect(read.value.nuances).toHaveLength(12);
    expect(Math.max(...read.value.nuances.map(({ length }) => length))).toBeLessThanOrEqual(800);
  });
});
