import { describe, expect, it } from "vitest";
import { comparedPositions } from "../../../src/roundtable/consensus/agreement.js";
import { isStable as isStableOver, movementsOf } from "../../../src/roundtable/consensus/movement.js";
import type { Position } from "../../../src/roundtable/position.js";
import { position } from "../support.js";

const isStable = (rounds: readonly (readonly Position[])[]) => isStableOver(rounds, 3);
const moved = (before: readonly Position[], now: readonly Position[]) =>
  movementsOf(comparedPositions(before), comparedPositions(now), (seat) => `Agent ${seat}`);

describe("who moved whom", () => {
  const before = [
    position("ana", "Migrate in May.", { stance: "YES" }),
    position("ben", "Wait for the audit.", { stance: "NO", reasoning: "The audit of the ledger ends in June." }),
    position("cem", "Wait until there is money.", { stance: "NO", reasoning: "There is no budget." }),
  ];

  it("is shown by a stance that changed, towards those who held it", () => {
    const now = position("ana", "Wait for the audit.", {
      stance: "NO",
      reasoning: "Agent ben is right: the audit of the ledger ends in June.",
    });
    expect(moved(before, [now])).toEqual([
      {
        seat: "ana",
        kind: "stance",
        stance: { from: "YES", to: "NO" },
        confidence: { from: 0.7, to: 0.7 },
        toward: ["ben", "cem"],
        credits: ["ben"],
        newEvidence: false,
      },
    ]);
  });

  it.each<[string, string, Partial<Position>]>([
    ["in other words", "Move the ledger to Postgres this May, as planned.", { stance: "YES" }],
    ["with a synonym", "Move the ledger to Postgres in May.", {}],
    [
      "longer",
      "Migrate the ledger to Postgres in May. Costs are low, staff is trained, and nobody else needs the window.",
      {},
    ],
    ["shorter", "Migrate to Postgres.", {}],
  ])("isn't shown by a view that is restated %s", (_how, restated, more) => {
    const reasoning = "The licence ends in summer, and the team knows Postgres.";
    const first = [
      position("ana", "Migrate the ledger to Postgres in May.", { reasoning, ...more }),
      position("ben", "Wait for the audit.", { stance: "NO" }),
    ];
    const now = position("ana", restated, { reasoning: `${reasoning} Nothing has changed.`, ...more });
    expect(moved(first, [now])).toEqual([]);
  });

  it("names as credited who is named, not who is called like a common word", () => {
    const first = [position("ana", "Migrate."), position("b", "Wait.")];
    const now = position("ana", "Wait.", { reasoning: "a budget of B, as an agent b may see it" });
    const credits = (name: string) =>
      movementsOf(comparedPositions(first), comparedPositions([now]), () => name).map((one) => one.credits);
    expect(credits("A")).toEqual([[]]);
    expect(credits("Agent B")).toEqual([["b"]]);
  });

  it("is shown by a position that says something else, and not by other words for the same", () => {
    const first = [
      position("ana", "Use Postgres with a read replica."),
      position("ben", "Buy a managed search service."),
    ];
    expect(moved(first, [position("ana", "Postgres, with one read replica.")])).toEqual([]);
    expect(moved(first, [position("ana", "Buy managed search as a service.")])).toMatchObject([
      { kind: "position", toward: ["ben"] },
    ]);
  });

  it("is nobody where only the confidence changed", () => {
    const now = position("ana", "Migrate in May.", { stance: "YES", confidence: 0.8 });
    expect(moved(before, [now])).toMatchObject([
      { kind: "confidence", toward: [], confidence: { from: 0.7, to: 0.8 } },
    ]);
    expect(moved(before, [{ ...now, confidence: 0.75 }])).toEqual([]);
  });

  it("says whether there is new evidence", () => {
    const now = position("ana", "Wait.", { stance: "NO" });
    expect(moved(before, [{ ...now, citedContext: ["ask_1"] }])).toMatchObject([{ newEvidence: true }]);
    expect(moved(before, [{ ...now, citations: [{ title: "Audit plan" }] }])).toMatchObject([{ newEvidence: true }]);
    expect(moved(before, [now])).toMatchObject([{ newEvidence: false }]);
  });

  it("leaves out who spoke in one of the rounds only", () => {
    expect(moved(before, [position("dan", "New here.")])).toEqual([]);
  });
});

describe("a debate", () => {
  const round = (...more: readonly Partial<Position>[]) =>
    more.map((one, at) => position(`seat-${at}`, "Migrate the ledger in May.", { stance: "YES", ...one }));

  it("is stable when nobody moved over three rounds", () => {
    expect(isStable([round({}, {}), round({}, {}), round({ confidence: 0.75 }, {})])).toBe(true);
  });

  it.each<[string, Position[][]]>([
    ["after two rounds", [round({}), round({})]],
    ["when a stance changed", [round({}, {}), round({}, { stance: "NO" }), round({}, { stance: "NO" })]],
    ["when a position changed", [round({}), round({}), round({ position: "Buy a search service." })]],
    ["when somebody grew surer", [round({}), round({}), round({ confidence: 0.9 })]],
    ["when a seat was missing", [round({}, {}), round({}), round({}, {})]],
    ["when nobody spoke", [[], [], []]],
  ])("isn't stable %s", (_when, rounds) => {
    expect(isStable(rounds)).toBe(false);
  });

  it("is stable again three rounds after somebody moved", () => {
    const before = round({ stance: "NO" });
    expect(isStable([before, round({}), round({}), round({})])).toBe(true);
  });
});
