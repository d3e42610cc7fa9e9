import { describe, expect, it } from "vitest";
import { defined } from "../../../src/conversation/defined.js";
import { consensusOf } from "../../../src/roundtable/consensus/consensus.js";
import { consensusSchema } from "../../../src/roundtable/consensus/schema.js";
import type { Position, Stance } from "../../../src/roundtable/position.js";
import { randomFrom } from "../../support/random.js";
import { position, shuffled } from "../support.js";

function consensus(rounds: readonly (readonly Position[])[], more: { stancesAreParts?: boolean } = {}) {
  return consensusOf({ rounds, stancesAreParts: false, stableRounds: 3, nameOf: (seat) => seat, ...more });
}

const migrate = "Migrate the ledger to Postgres in May.";
const wait = "Wait with the ledger until the audit is over.";
const split = [
  position("ana", migrate, { stance: "YES", confidence: 0.9 }),
  position("ben", migrate, { stance: "YES", confidence: 0.7 }),
  position("cem", wait, { stance: "NO", confidence: 0.8, reasoning: "The audit ends in June." }),
];

describe("the consensus of a round", () => {
  it("counts stances and confidence, and says who holds what", () => {
    expect(consensus([split])).toMatchObject({
      round: 1,
      stances: { YES: 2, NO: 1, NEUTRAL: 0, none: 0 },
      meanConfidence: 0.8,
      summary: `2 of 3 are of one view.\nana, ben (confidence 0.80): YES: ${migrate}\ncem (confidence 0.80): NO: ${wait}`,
    });
  });

  it("always reports the minority, with its reasons", () => {
    expect(consensus([split]).minority).toEqual([
      { seats: ["cem"], stance: "NO", position: wait, reasoning: "The audit ends in June.", confidence: 0.8 },
    ]);
  });

  it("takes nobody for a minority where no view has more seats, and says who holds what instead", () => {
    const tie = consensus([split.slice(1)]);
    expect(tie.minority).toEqual([]);
    expect(tie.summary).toBe(
      `Nobody has a majority.\ncem (confidence 0.80): NO: ${wait}\nben (confidence 0.70): YES: ${migrate}`,
    );
    expect(consensus([split.slice(0, 2)]).minority).toEqual([]);
    const pairs = ["ana", "ben"].flatMap((seat, at) => [
      position(seat, migrate, { stance: "YES" }),
      position(`${at}x`, wait, { stance: "NO" }),
    ]);
    const single = position("cem", "Ask the auditors.", { stance: "NEUTRAL" });
    expect(consensus([[...pairs, single]]).minority).toMatchObject([{ seats: ["cem"] }]);
  });

  it("shows nobody with the words of another who answers alike but says otherwise", () => {
    const october = "Only in October, once the audit is over.";
    const { disagreements, summary, minority } = consensus([
      [
        position("ana", migrate, { stance: "YES" }),
        position("ben", october, { stance: "YES" }),
        position("cem", "Never touch it.", { stance: "NO" }),
      ],
    ]);
    expect(disagreements[0]?.sides).toEqual([
      { seats: ["ana"], text: `YES: ${migrate}` },
      { seats: ["ben"], text: `YES: ${october}` },
      { seats: ["cem"], text: "NO: Never touch it." },
    ]);
    expect(summary).toContain(`ben (confidence 0.70): YES: ${october}`);
    expect(minority).toMatchObject([{ seats: ["cem"] }]);
    const nos = [position("dan", october, { stance: "NO" }), position("eva", wait, { stance: "NO" })];
    const yes = ["ana", "ben", "cem"].map((seat) => position(seat, migrate, { stance: "YES" }));
    expect(consensus([[...yes, ...nos]]).minority).toMatchObject([
      { seats: ["dan"], position: october },
      { seats: ["eva"], position: wait },
    ]);
  });

  it("credits those with a statement who make it, not who report or deny it", () => {
    const nameOf = (seat: string) => ({ ana: "Ana", ben: "Ben", cem: "Cem" })[seat] ?? seat;
    const credited = (ben: string, reasoning = "So be it.") => {
      const positions = [
        position("ana", migrate, { reasoning: "It is cheap." }),
        position("ben", ben, { reasoning }),
        position("cem", "Nothing of that kind.", { reasoning: "None." }),
      ];
      return consensusOf({ rounds: [positions], stancesAreParts: false, stableRounds: 3, nameOf }).commonGround;
    };
    expect(credited(`I agree with Ana: ${migrate}`)).toMatchObject([{ seats: ["ana", "ben"] }]);
    expect(credited(`Ana says: migrate the ledger to Postgres in May. Too early for us.`)).toEqual([]);
    expect(credited(migrate, "Don't migrate the ledger to Postgres in May, unless it is paid.")).toEqual([]);
    expect(credited("Keep it.", `The strongest case: ${migrate}`)).toEqual([]);
  });

  it("repeats no whole position: those stand beside it", () => {
    const long = (seat: string) =>
      position(seat, `${seat} ${`${seat}word `.repeat(200)}`, { stance: seat === "cem" ? "NO" : "YES" });
    const { minority: _, commonGround: __, ...rest } = consensus([["ana", "ben", "cem"].map(long)]);
    for (const { sides } of rest.disagreements.filter(({ kind }) => kind === "stance")) {
      for (const { text } of sides) expect(text.length).toBeLessThan(260);
    }
    for (const { position: shown } of rest.clusters) expect(shown.length).toBeLessThanOrEqual(241);
    expect(rest.summary.length).toBeLessThan(1_000);
  });

  it("gives each that contradicts a statement a side of its own where they don't say the same", () => {
    const cost = (seat: string, million: number) => position(seat, `The outage costs ${million} million euros.`);
    const { disagreements } = consensus([[cost("ana", 40), cost("ben", 90), cost("cem", 60), cost("dan", 90)]]);
    expect(disagreements[0]?.sides.map(({ seats, text }) => [seats, /\d+/.exec(text)?.[0]])).toEqual([
      [["ana"], "40"],
      [["cem"], "60"],
      [["ben", "dan"], "90"],
    ]);
  });

  it("reports what nobody holds any more", () => {
    const now = split.map((held) => ({ ...held, round: 2, stance: "YES" as const, position: migrate }));
    expect(consensus([split, now]).givenUp).toMatchObject([{ seats: ["cem"], stance: "NO", position: wait }]);
    expect(consensus([split, split]).givenUp).toEqual([]);
  });

  it("finds common ground in what most seats say in words of their own", () => {
    const rollback = "Every step needs a rollback plan.";
    const { commonGround } = consensus([
      [
        position("ana", `${migrate} ${rollback}`),
        position("ben", "We should buy it. For every step there needs to be a plan for rollback."),
        position("cem", "Nothing of that."),
      ],
    ]);
    expect(commonGround).toHaveLength(1);
    expect(commonGround[0]?.seats).toEqual(["ana", "ben"]);
  });

  it("finds what seats deny of each other, and never agreement in a disagreement", () => {
    const { disagreements, commonGround } = consensus([
      [
        position("ana", "We agree with the migration plan of May."),
        position("ben", "We disagree with the migration plan of May."),
      ],
    ]);
    expect(disagreements).toMatchObject([{ kind: "statement", sides: [{ seats: ["ana"] }, { seats: ["ben"] }] }]);
    expect(commonGround).toEqual([]);
  });

  it("finds figures that differ", () => {
    const { disagreements } = consensus([
      [position("ana", "The outage costs 40 million euros."), position("ben", "The outage costs 90 million euros.")],
    ]);
    expect(disagreements).toMatchObject([{ kind: "figures" }]);
  });

  it("takes another figure for another view, of others and of the seat itself", () => {
    const nights = (seat: string, count: number) => position(seat, `The move takes ${count} nights.`);
    const now = [nights("ana", 16), nights("ben", 30), nights("cem", 16)];
    const counted = consensus([[nights("ana", 12), nights("ben", 30), nights("cem", 16)], now]);
    expect(counted.minority).toMatchObject([{ seats: ["ben"] }]);
    expect(counted.movements).toMatchObject([{ seat: "ana", kind: "position", toward: ["cem"] }]);
  });

  it("finds conditions that only one seat makes", () => {
    const { nuances } = consensus([
      [
        position("ana", migrate, { stance: "YES" }),
        position("ben", migrate, {
          stance: "YES",
          reasoning: "Unless the vendor raises licence fees again, that is cheapest.",
        }),
      ],
    ]);
    expect(nuances).toEqual([{ seat: "ben", text: "Unless the vendor raises licence fees again, that is cheapest." }]);
  });

  it("doesn't take the stances that parts have for a split", () => {
    const parts = consensus([split], { stancesAreParts: true });
    expect(parts.stancesAreParts).toBe(true);
    expect(parts.disagreements.filter(({ kind }) => kind === "stance")).toEqual([]);
    expect(consensus([split]).disagreements.filter(({ kind }) => kind === "stance")).toHaveLength(1);
  });

  it("says of a round without positions that there is none", () => {
    expect(consensus([[]])).toMatchObject({ agreementLevel: 0, summary: "Nobody took a position.", clusters: [] });
  });
});

describe("the warning of groupthink", () => {
  const now = split.map((held) => ({ ...held, round: 2, stance: "YES" as const, position: migrate }));

  it("is given when a seat joins the majority without new evidence", () => {
    expect(consensus([split, now]).groupthink?.warning).toContain(
      "one seat moved to the majority without new evidence",
    );
  });

  it("isn't given when the seat that moved brings a source", () => {
    const grounded = now.map((held) => (held.seat === "cem" ? { ...held, citedContext: ["ask_1"] } : held));
    expect(consensus([split, grounded]).groupthink).toBeUndefined();
  });

  it("is given when all give the same reasons and cite nothing", () => {
    const echo = ["ana", "ben", "cem"].map((seat) =>
      position(seat, migrate, { stance: "YES", reasoning: "It is cheap, fast and known to the team." }),
    );
    expect(consensus([echo]).groupthink?.signs).toHaveLength(2);
  });

  it("isn't given where seats disagree, nor where they agree for reasons of their own", () => {
    expect(consensus([split]).groupthink).toBeUndefined();
    const reasons = ["The law demands it.", "Users ask for speed.", "Licences end soon."];
    const own = reasons.map((reasoning, at) => position(`seat-${at}`, migrate, { stance: "YES", reasoning }));
    expect(consensus([own]).groupthink).toBeUndefined();
  });
});

describe("whatever the positions", () => {
  const random = randomFrom(7);
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  const texts = [
    migrate,
    wait,
    "Don't migrate the ledger to Postgres in May.",
    "Postgres is the right place for the ledger, if the rollback is tried first.",
    "Costs are 40 million euros. Nobody has a plan.",
    "Costs are 60 million euros.",
    "",
    "不要迁移。",
  ];
  const stances: readonly (Stance | undefined)[] = ["YES", "NO", "NEUTRAL", undefined];
  const randomRound = (round: number, seats: number): Position[] =>
    Array.from({ length: seats }, (_, at) => {
      const stance = pick(stances);
      return position(`seat-${at}`, pick(texts) ?? "", {
        round,
        reasoning: [pick(texts), pick(texts)].join(" "),
        confidence: random(),
        ...defined({ stance }),
      });
    });

  it("the consensus is the same in whatever order the seats come, and every number is within its bounds", () => {
    for (let debate = 0; debate < 60; debate++) {
      const seats = 1 + Math.floor(random() * 10);
      const rounds = [1, 2, 3].map((round) => randomRound(round, seats));
      const one = consensus(rounds);
      expect(consensusSchema.parse(JSON.parse(JSON.stringify(one)))).toEqual(JSON.parse(JSON.stringify(one)));
      expect(consensus(rounds.map((round) => shuffled(round, random)))).toEqual(one);
      expect(one.clusters.flatMap((cluster) => cluster.seats).toSorted()).toEqual(
        (rounds[2] ?? []).map(({ seat }) => seat).toSorted(),
      );
    }
  });

  it("a seat by another name changes names alone", () => {
    for (let debate = 0; debate < 20; debate++) {
      const rounds = [1, 2].map((round) => randomRound(round, 4));
      const renamed = rounds.map((round) =>
        round.map((held) => ({ ...held, seat: held.seat.replace("seat-", "chair-") })),
      );
      const strip = (value: unknown) => JSON.stringify(value).replaceAll("chair-", "seat-");
      expect(strip(consensus(renamed))).toBe(strip(consensus(rounds)));
    }
  });
});
