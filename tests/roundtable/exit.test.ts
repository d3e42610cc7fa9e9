import { describe, expect, it } from "vitest";
import { type ExitInput, exitOf } from "../../src/roundtable/exit.js";
import { debate, position } from "./support.js";

const [first] = debate().rounds;
if (first === undefined) throw new Error("the debate has no round");
const unsure = ["ana", "ben"].map((seat) => position(seat, "Migrate.", { confidence: 0.5 }));
const round = (more: Partial<typeof first> = {}) => ({
  ...first,
  positions: unsure,
  ...more,
  consensus: { agreementLevel: 0.5, ...more.consensus },
});
const going: ExitInput = {
  rounds: [round()],
  totalRounds: 3,
  exitOnConsensus: true,
  exhausted: undefined,
  blocking: false,
  stable: false,
  vetoed: false,
};
const agreed = [{ ...round(), consensus: { agreementLevel: 0.9 } }];
const sure = [round({ positions: unsure.map((held) => ({ ...held, confidence: 0.85 })) })];

describe("a debate", () => {
  it("goes on while nothing ends it, and before its first round", () => {
    expect(exitOf(going)).toBeUndefined();
    expect(exitOf({ ...going, rounds: [] })).toBeUndefined();
  });

  it.each<[string, Partial<ExitInput>]>([
    ["rounds", { totalRounds: 1 }],
    ["budget", { exhausted: "the debate's budget of 100 tokens is used up" }],
    ["agreement", { rounds: agreed }],
    ["stability", { stable: true }],
    ["confidence", { rounds: sure }],
  ])("ends by %s", (reason, input) => {
    expect(exitOf({ ...going, ...input })).toEqual({ reason, round: 1 });
  });

  it("ends by rounds and budget in any case, by agreement, stability and confidence only where it may", () => {
    const ends = { rounds: agreed, stable: true };
    for (const hindered of [{ exitOnConsensus: false }, { vetoed: true }, { blocking: true }]) {
      expect(exitOf({ ...going, ...ends, ...hindered })).toBeUndefined();
      expect(exitOf({ ...going, ...ends, ...hindered, totalRounds: 1 })).toMatchObject({ reason: "rounds" });
      expect(exitOf({ ...going, ...ends, ...hindered, exhausted: "it is" })).toMatchObject({ reason: "budget" });
    }
  });

  it("hasn't agreed while a seat is missing", () => {
    const failures = [{ seat: "cem", error: "down", attempts: 2, reason: "failed" as const }];
    const missing = agreed.flatMap((one) => [
      { ...one, failures },
      { ...one, absent: ["cem"] },
    ]);
    for (const one of missing) expect(exitOf({ ...going, rounds: [one] })).toBeUndefined();
  });
});
