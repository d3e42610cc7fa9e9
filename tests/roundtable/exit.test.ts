import { describe, expect, it } from "vitest";
import type { Consensus } from "../../src/roundtable/consensus/schema.js";
import type { RoundRecord } from "../../src/roundtable/debate.js";
import { type ExitInput, exitOf } from "../../src/roundtable/exit.js";
import { panelSchema } from "../../src/roundtable/panel.js";
import { debate, position } from "./support.js";

const unsure = ["ana", "ben"].map((seat) => position(seat, "Migrate.", { confidence: 0.5 }));
const nobodysStance = { YES: 0, NO: 0, NEUTRAL: 0, none: 2 };

/** A round in which nothing ends the debate, but for this: its seats are of one view. */
function round(more: Partial<RoundRecord> = {}, counted: Partial<Consensus> = {}): RoundRecord {
  const [first] = debate().rounds;
  if (first?.consensus === undefined) throw new Error("the debate has no round");
  const clusters = first.consensus.clusters.slice(0, 1);
  const plain = { clusters, disagreements: [], stances: nobodysStance, agreementLevel: 0.6 };
  return { ...first, round: 2, positions: unsure, ...more, consensus: { ...first.consensus, ...plain, ...counted } };
}

const blind = round({ round: 1 });
const going: ExitInput = {
  rounds: [blind, round()],
  totalRounds: 3,
  exitOnConsensus: true,
  thresholds: panelSchema.parse({}).thresholds,
  exhausted: undefined,
  blocking: false,
};
const ending = (last: RoundRecord): Partial<ExitInput> => ({ rounds: [blind, last] });
const agreed = round({}, { agreementLevel: 0.9 });
const areSure = { positions: unsure.map((held) => ({ ...held, confidence: 0.85 })) };
const sure = round(areSure);
const stable = round({}, { isStable: true });
const analysis = { agreementLevel: 1, summary: "All hold it.", commonGround: [], disagreements: [], nuances: [] };
const sides = [{ seats: ["ana"], text: "YES: Migrate." }];

describe("a debate", () => {
  it("goes on while nothing ends it, and before its first round", () => {
    expect(exitOf(going)).toBeUndefined();
    expect(exitOf({ ...going, rounds: [] })).toBeUndefined();
  });

  it.each<[string, Partial<ExitInput>]>([
    ["rounds", { totalRounds: 2 }],
    ["budget", { exhausted: "the debate's budget of 100 tokens is used up" }],
    ["agreement", ending(agreed)],
    ["stability", ending(stable)],
    ["confidence", ending(sure)],
  ])("ends by %s", (reason, input) => {
    expect(exitOf({ ...going, ...input })).toEqual({ reason, round: 2 });
  });

  it("ends by rounds and budget in any case, by agreement, stability and confidence only where it may", () => {
    const vetoed = round({}, { agreementLevel: 0.9, isStable: true, analysis: { ...analysis, veto: "Who pays?" } });
    for (const hindered of [{ exitOnConsensus: false }, ending(vetoed), { blocking: true }]) {
      const input = { ...going, ...ending(agreed), ...hindered };
      expect(exitOf(input)).toBeUndefined();
      expect(exitOf({ ...input, totalRounds: 2 })).toMatchObject({ reason: "rounds" });
      expect(exitOf({ ...input, exhausted: "it is" })).toMatchObject({ reason: "budget" });
    }
  });

  it.each<[string, RoundRecord]>([
    ["agreed", agreed],
    ["sure", sure],
    ["stable", stable],
  ])("isn't ended by a blind first round, however %s", (_how, only) => {
    expect(exitOf({ ...going, rounds: [{ ...only, round: 1 }] })).toBeUndefined();
  });

  it("isn't ended before every seat has answered the others once", () => {
    const alone = { ...blind, positions: unsure.slice(0, 1) };
    // Ana has read nobody but herself: Ben spoke for the first time in this round.
    expect(exitOf({ ...going, rounds: [alone, agreed] })).toBeUndefined();
    const third = { ...agreed, round: 3 };
    expect(exitOf({ ...going, totalRounds: 5, rounds: [alone, agreed, third] })).toMatchObject({ reason: "agreement" });
  });

  it("isn't ended by an analyst, however much agreement it sees", () => {
    expect(exitOf({ ...going, ...ending(round({}, { analysis })) })).toBeUndefined();
  });

  it("has agreed only where the analyst and the seats' own stances say so too", () => {
    const seen = (agreementLevel: number) =>
      round({}, { agreementLevel: 1, analysis: { ...analysis, agreementLevel } });
    expect(exitOf({ ...going, ...ending(seen(0.1)) })).toBeUndefined();
    expect(exitOf({ ...going, ...ending(seen(0.7)) })).toMatchObject({ reason: "agreement" });
    const divided = { agreementLevel: 1, stances: { YES: 5, NO: 1, NEUTRAL: 0, none: 0 } };
    expect(exitOf({ ...going, ...ending(round({}, divided)) })).toBeUndefined();
    expect(exitOf({ ...going, ...ending(round({}, { ...divided, stancesAreParts: true })) })).toBeDefined();
  });

  it.each<[string, Partial<Consensus>]>([
    ["are of several views", { clusters: [...debate().rounds.flatMap(({ consensus }) => consensus?.clusters ?? [])] }],
    ["contradict each other", { disagreements: [{ kind: "statement", sides }] }],
    ["answer yes and no", { stances: { YES: 1, NO: 1, NEUTRAL: 0, none: 0 } }],
    ["are divided as the analyst sees it", { analysis: { ...analysis, agreementLevel: 0.2 } }],
  ])("isn't ended by seats that are sure and %s", (_how, counted) => {
    expect(exitOf({ ...going, ...ending(round(areSure, counted)) })).toBeUndefined();
  });

  it("ends at what its panel sets", () => {
    const thresholds = { agreement: 0.6, analyst: 0, confidence: 1, stableRounds: 2 };
    expect(exitOf({ ...going, thresholds })).toMatchObject({ reason: "agreement" });
    expect(exitOf({ ...going, ...ending(sure), thresholds: { ...thresholds, agreement: 0.95 } })).toBeUndefined();
  });

  it("hasn't agreed while a seat is missing", () => {
    const failures = [{ seat: "cem", error: "down", attempts: 2, reason: "failed" as const }];
    for (const missing of [{ failures }, { absent: ["cem"] }]) {
      expect(exitOf({ ...going, ...ending({ ...agreed, ...missing }) })).toBeUndefined();
    }
  });
});
