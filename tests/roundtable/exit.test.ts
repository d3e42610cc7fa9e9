import { describe, expect, it } from "vitest";
import type { Consensus } from "../../src/roundtable/consensus/schema.js";
import type { RoundRecord } from "../../src/roundtable/debate.js";
import { type ExitInput, exitOf } from "../../src/roundtable/exit.js";
import { debate, position } from "./support.js";

const unsure = ["ana", "ben"].map((seat) => position(seat, "Migrate.", { confidence: 0.5 }));

/** A round in which nothing ends the debate, but for this. */
function round(more: Partial<RoundRecord> = {}, counted: Partial<Consensus> = {}): RoundRecord {
  const [first] = debate().rounds;
  if (first?.consensus === undefined) throw new Error("the debate has no round");
  return { ...first, positions: unsure, ...more, consensus: { ...first.consensus, agreementLevel: 0.5, ...counted } };
}

const going: ExitInput = {
  rounds: [round()],
  totalRounds: 3,
  exitOnConsensus: true,
  exhausted: undefined,
  blocking: false,
};
const agreed = round({}, { agreementLevel: 0.9 });
const sure = round({ positions: unsure.map((held) => ({ ...held, confidence: 0.85 })) });
const analysis = { agreementLevel: 1, summary: "All hold it.", commonGround: [], disagreements: [], nuances: [] };

describe("a debate", () => {
  it("goes on while nothing ends it, and before its first round", () => {
    expect(exitOf(going)).toBeUndefined();
    expect(exitOf({ ...going, rounds: [] })).toBeUndefined();
  });

  it.each<[string, Partial<ExitInput>]>([
    ["rounds", { totalRounds: 1 }],
    ["budget", { exhausted: "the debate's budget of 100 tokens is used up" }],
    ["agreement", { rounds: [agreed] }],
    ["stability", { rounds: [round({}, { isStable: true })] }],
    ["confidence", { rounds: [sure] }],
  ])("ends by %s", (reason, input) => {
    expect(exitOf({ ...going, ...input })).toEqual({ reason, round: 1 });
  });

  it("ends by rounds and budget in any case, by agreement, stability and confidence only where it may", () => {
    const vetoed = round({}, { agreementLevel: 0.9, isStable: true, analysis: { ...analysis, veto: "Who pays?" } });
    for (const hindered of [{ exitOnConsensus: false }, { rounds: [vetoed] }, { blocking: true }]) {
      const input = { ...going, rounds: [agreed], ...hindered };
      expect(exitOf(input)).toBeUndefined();
      expect(exitOf({ ...input, totalRounds: 1 })).toMatchObject({ reason: "rounds" });
      expect(exitOf({ ...input, exhausted: "it is" })).toMatchObject({ reason: "budget" });
    }
  });

  it("isn't ended by an analyst, however much agreement it sees", () => {
    expect(exitOf({ ...going, rounds: [round({}, { analysis })] })).toBeUndefined();
  });

  it("hasn't agreed while a seat is missing", () => {
    const failures = [{ seat: "cem", error: "down", attempts: 2, reason: "failed" as const }];
    for (const missing of [{ failures }, { absent: ["cem"] }]) {
      expect(exitOf({ ...going, rounds: [{ ...agreed, ...missing }] })).toBeUndefined();
    }
  });
});
