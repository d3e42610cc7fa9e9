import { describe, expect, it } from "vitest";
import { type ExitInput, exitOf } from "../../src/roundtable/exit.js";
import { countConsensus } from "../../src/roundtable/round-consensus.js";
import { debate, position } from "./support.js";

const [first] = debate().rounds;
if (first === undefined) throw new Error("the debate has no round");
const unsure = ["ana", "ben"].map((seat) => position(seat, "Migrate.", { confidence: 0.5 }));
const counted = countConsensus([{ positions: unsure }], { mode: "collaborative", seats: [] });
const round = (more: Partial<typeof first> = {}, consensus: Partial<typeof counted> = {}) => ({
  ...first,
  positions: unsure,
  ...more,
  consensus: { ...counted, agreementLevel: 0.5, ...consensus },
});
const going: ExitInput = {
  rounds: [round()],
  totalRounds: 3,
  exitOnConsensus: true,
  exhausted: undefined,
  blocking: false,
};
const agreed = [round({}, { agreementLevel: 0.9 })];
const stable = [round({}, { isStable: true })];
const analysis = {
  agreementLevel: 1,
  summary: "",
  commonGround: [],
  disagreements: [],
  nuances: [],
  veto: "Who pays?",
};
const vetoed = [round({}, { agreementLevel: 0.9, isStable: true, analysis })];
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
    ["stability", { rounds: stable }],
    ["confidence", { rounds: sure }],
  ])("ends by %s", (reason, input) => {
    expect(exitOf({ ...going, ...input })).toEqual({ reason, round: 1 });
  });

  it("ends by rounds and budget in any case, by agreement, stability and confidence only where it may", () => {
    const ends = { rounds: agreed };
    for (const hindered of [{ exitOnConsensus: false }, { rounds: vetoed }, { blocking: true }]) {
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
