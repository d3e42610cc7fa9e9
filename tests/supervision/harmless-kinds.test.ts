/** Nothing harmless is stopped: rules that ship, as they stand without settings, over every kind of text that passes a hook. */
import { describe, expect, it } from "vitest";
import { personalDataKinds } from "../../src/supervision/rules/personal-data.js";
import { kindOf, kinds, names, textsOf } from "../support/corpus/corpus.js";
import { type Match, redacting } from "./rules/support.js";

/**
 * How many texts of each kind, made from a seed that no rule was made with; how many of one kind may be stopped, which chance may bring
 * about where 2 of 1,000 are; and what is looked for in a kind.
 */
const rules: Readonly<Record<string, readonly [count: number, seed: number, most: number, (kind: string) => Match]>> = {
  injection: [300, 971_123, 2, () => ({ type: "injection" })],
  "orders in data": [300, 971_123, 2, () => ({ type: "injection", signs: "data" })],
  secrets: [500, 60_311, 1, () => ({ type: "secrets" })],
  "personal data but what they truly hold": [
    500,
    60_311,
    1,
    (kind) => ({
      type: "personalData",
      kinds: personalDataKinds.filter((each) => kindOf(kind).holds?.includes(each) !== true),
    }),
  ],
};

describe.each(Object.entries(rules))("%s", (_name, [count, seed, most, matchOf]) => {
  let stoppedOfAll = 0;

  it.each(kinds)("lets %s pass", (kind) => {
    const rules = redacting(matchOf(kind));
    const stopped = textsOf(kind, count, seed).flatMap((text) => {
      const found = rules.judge(text).edits.map(({ start, end }) => text.slice(start, end));
      return found.length === 0 ? [] : [`${found.join(" · ")} in ${text.slice(0, 300)}`];
    });
    stoppedOfAll += stopped.length;
    expect(stopped.length, stopped.join("\n\n")).toBeLessThanOrEqual(most);
  });

  it("stops at most 1 of 1,000 of them all", () => {
    expect(stoppedOfAll).toBeLessThanOrEqual(Math.floor((kinds.length * count) / 1_000));
  });
});

it("nobody is stopped for their name", () => {
  const rules = redacting({ type: "injection" });
  const stopped = names.filter((name) => rules.judge(`Hey ${name}! When does my parcel arrive?`).action !== "allow");
  expect(stopped).toEqual([]);
});
