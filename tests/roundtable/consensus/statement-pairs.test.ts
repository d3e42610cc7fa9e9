/** What two seats without stances say in ten languages: opposed pairs never count as agreement, agreeing ones do. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { comparedPositions, pairAgreement } from "../../../src/roundtable/consensus/agreement.js";
import { position } from "../support.js";

const kinds = ["opposed", "agreeing", "different"] as const;
interface Pair {
  readonly language: string;
  readonly kind: (typeof kinds)[number];
  readonly texts: readonly [string, string];
}

function pairsOf(half: string): Pair[] {
  const text = readFileSync(`${import.meta.dirname}/pairs/${half}.txt`, "utf8");
  return text.split("\n").flatMap((line): Pair[] => {
    const [head = "", one, other] = line.split(" | ");
    const [language = "", named] = head.split(" ");
    const kind = kinds.find((known) => known === named);
    return kind === undefined || one === undefined || other === undefined
      ? []
      : [{ language, kind, texts: [one, other] }];
  });
}

function agreement([one, other]: readonly [string, string]): number {
  const [first, second] = comparedPositions([position("ana", one), position("ben", other)]);
  return first === undefined || second === undefined ? Number.NaN : pairAgreement(first, second);
}

describe.each(["tuned", "held-out"])("the %s half of the pairs", (half) => {
  const pairs = pairsOf(half);

  it("has ten pairs of each of ten languages, five of them opposed", () => {
    const languages = new Set(pairs.map(({ language }) => language));
    expect(languages.size).toBe(10);
    for (const language of languages) {
      const own = pairs.filter((pair) => pair.language === language).map(({ kind }) => kind);
      expect(kinds.map((kind) => own.filter((one) => one === kind).length)).toEqual([5, 3, 2]);
    }
  });

  it.each(pairs.filter(({ kind }) => kind !== "agreeing").map(({ kind, texts }) => [kind, ...texts] as const))(
    "%s: %s / %s",
    (_kind, one, other) => {
      expect(agreement([one, other])).toBeLessThanOrEqual(0.5);
      expect(agreement([other, one])).toBeLessThanOrEqual(0.5);
    },
  );

  it.each(pairs.filter(({ kind }) => kind === "agreeing").map(({ texts }) => texts))(
    "agreeing: %s / %s",
    (one, other) => {
      expect(agreement([one, other])).toBeGreaterThanOrEqual(0.6);
      expect(agreement([other, one])).toBeGreaterThanOrEqual(0.6);
    },
  );
});

describe("two positions", () => {
  it.each([
    ["Use Postgres rather than Oracle for the ledger.", "Use Oracle rather than Postgres for the ledger."],
    ["Keep the ledger in Postgres instead of Oracle.", "Keep the ledger in Oracle instead of Postgres."],
    ["We can allow guests in the lab.", "We must forbid guests in the lab."],
    ["The fund grew by 4.5 percent in Q1.", "The fund grew by 45 percent in Q1."],
    ["It is possible to finish the bridge this year.", "It is impossible to finish the bridge this year."],
    ["Remote work should be allowed every day.", "Remote work should be allowed two days a week."],
    ["Accept the offer of Acme.", "Decline the offer of Acme."],
    ["Move from AWS to Azure.", "Move from Azure to AWS."],
    ["Wir ziehen von Bonn nach Köln.", "Wir ziehen von Köln nach Bonn."],
    ["The first design is better than the second.", "The second design is better than the first."],
    ["Tom should lead and Ann should test.", "Ann should lead and Tom should test."],
    ["Hire 2 nurses and 3 doctors.", "Hire 3 nurses and 2 doctors."],
    ["The deadline is 5 pm.", "The deadline is 5 am."],
  ])("don't agree: %s / %s", (one, other) => {
    expect(agreement([one, other])).toBeLessThanOrEqual(0.5);
  });

  it.each([
    ["The bridge costs 40 thousand euros.", "The bridge costs 40,000 euros."],
    ["Launch in May 2027, not in June.", "Launch in May 2027."],
    ["Move from AWS to Azure.", "Azure is where to move from AWS."],
    ["Tom should lead and Ann should test.", "Ann should test, and Tom should lead."],
    ["The second design is worse than the first.", "The second design is worse, compared with the first."],
    ["Each team writes tests every week.", "Every week each team writes its tests."],
    ["The deadline is 5 pm.", "The deadline is 17:00."],
  ])("agree: %s / %s", (one, other) => {
    expect(agreement([one, other])).toBeGreaterThanOrEqual(0.6);
  });

  it("don't agree when they answer alike and say the opposite", () => {
    const one = position("ana", "We should migrate in May.", { stance: "YES" });
    const other = position("ben", "We should not migrate in May.", { stance: "YES" });
    const [first, second] = comparedPositions([one, other]);
    if (first === undefined || second === undefined) throw new Error("nobody holds anything");
    expect(pairAgreement(first, second)).toBeLessThanOrEqual(0.5);
  });
});
