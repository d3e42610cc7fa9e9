import { describe, expect, it } from "vitest";
import {
  agreementLevel,
  clustersOf,
  comparedPositions,
  pairAgreement,
} from "../../../src/roundtable/consensus/agreement.js";
import type { Position, Stance } from "../../../src/roundtable/position.js";
import { position } from "../support.js";

const level = (...positions: readonly Position[]) => agreementLevel(comparedPositions(positions));
const pair = (one: Position, other: Position) => {
  const [first, second] = comparedPositions([one, other]);
  return first === undefined || second === undefined ? Number.NaN : pairAgreement(first, second);
};
const stand = (seat: string, stance: Stance, confidence = 0.8, text = `${seat} thinks so.`) =>
  position(seat, text, { stance, confidence });

describe("the agreement of a round", () => {
  it("is nothing of one seat alone", () => {
    expect(level()).toBe(0);
    expect(level(stand("ana", "YES"))).toBe(0);
  });

  it("is enough to end a debate when all answer the same, whatever their words", () => {
    const texts = ["The law demands it.", "Users want this badly.", "It pays for itself."];
    expect(level(...texts.map((text, at) => stand(`seat-${at}`, "YES", 0.8, text)))).toBeGreaterThanOrEqual(0.9);
  });

  it("is nothing when one says yes and one says no, however alike their words", () => {
    const text = "The team should migrate the database in May.";
    expect(level(stand("ana", "YES", 0.8, text), stand("ben", "NO", 0.8, text))).toBeLessThanOrEqual(0.1);
  });

  it("is half with somebody who is neutral", () => {
    const neutral = stand("ben", "NEUTRAL", 0.8, "It depends on the audit.");
    expect(level(stand("ana", "YES"), neutral)).toBeCloseTo(0.45);
  });

  it("falls with each seat that stands apart", () => {
    const apart = [0, 1, 2].map((count) =>
      level(...Array.from({ length: 5 }, (_, at) => stand(`seat-${at}`, at < count ? "NO" : "YES"))),
    );
    expect(apart.toSorted((a, b) => b - a)).toEqual(apart);
    expect(new Set(apart).size).toBe(3);
  });

  it("counts a dissent the more, the surer it is", () => {
    const most = [stand("ana", "YES", 0.9), stand("ben", "YES", 0.9)];
    expect(level(...most, stand("cem", "NO", 0.95))).toBeLessThan(level(...most, stand("cem", "NO", 0.1)));
  });

  it("is tentative when nobody is sure", () => {
    expect(level(stand("ana", "YES", 0.2), stand("ben", "YES", 0.2))).toBeLessThan(0.5);
  });
});

describe("two positions without stances", () => {
  const first = position("ana", "Use Postgres with a read replica in Frankfurt.");

  it("agree as far as their words do", () => {
    expect(pair(first, position("ben", "Postgres, with one read replica in Frankfurt."))).toBeGreaterThan(0.9);
    expect(pair(first, position("ben", "Postgres is fine."))).toBeLessThan(0.5);
    expect(pair(first, position("ben", "Hire two more people first."))).toBeLessThan(0.2);
  });

  it.each([
    ["We should migrate the database in May.", "We should not migrate the database in May."],
    ["We agree with the migration plan.", "We disagree with the migration plan."],
    ["The cache is safe to share between tenants.", "The cache isn't safe to share between tenants."],
    ["Store the keys in the vault.", "Never store the keys in the vault."],
  ])("don't agree when one denies what the other says: %j and %j", (one, other) => {
    expect(pair(position("ana", one), position("ben", other))).toBe(0);
  });

  it("agree when the denial is denied", () => {
    const denied = position("ben", "It is not wrong to migrate the database in May.");
    expect(pair(position("ana", "Migrate the database in May."), denied)).toBeGreaterThan(0.5);
  });

  it("agree by half when their figures differ", () => {
    const [one, other] = [
      "The outage will cost about 40 million euros.",
      "The outage will cost about 90 million euros.",
    ];
    expect(pair(position("ana", one ?? ""), position("ben", other ?? ""))).toBe(0.5);
  });
});

describe("clusters", () => {
  const clusters = (...positions: readonly Position[]) =>
    clustersOf(comparedPositions(positions)).map(({ seats }) => seats);

  it("are the seats of one stance, the largest first, then the surest", () => {
    expect(clusters(stand("ana", "NO"), stand("ben", "YES"), stand("cem", "YES"))).toEqual([["ben", "cem"], ["ana"]]);
    expect(clusters(stand("ana", "NO", 0.5), stand("ben", "YES", 0.9))).toEqual([["ben"], ["ana"]]);
  });

  it("are, without stances, the seats that say much the same", () => {
    expect(
      clusters(
        position("ana", "Use Postgres with a read replica in Frankfurt."),
        position("ben", "Buy a managed search service instead."),
        position("cem", "Postgres, with one read replica in Frankfurt."),
        position("dan", "A managed search service should be bought."),
      ),
    ).toEqual([
      ["ana", "cem"],
      ["ben", "dan"],
    ]);
  });

  it("are spoken for by the seat that is nearest to the others", () => {
    const [cluster] = clustersOf(
      comparedPositions([
        stand("ana", "YES", 0.9, "Migrate the database in May, at night."),
        stand("ben", "YES", 0.5, "Migrate the database in May."),
        stand("cem", "YES", 0.9, "Migrate the database in May, with a rollback."),
      ]),
    );
    expect(cluster).toMatchObject({ spokenFor: "ben", stance: "YES", position: "Migrate the database in May." });
  });
});
