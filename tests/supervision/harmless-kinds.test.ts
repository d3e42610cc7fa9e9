/** Nothing harmless is stopped: rules that ship, as they stand without settings, over every kind of text that passes a hook. */
import { describe, expect, it } from "vitest";
import { personalDataKinds } from "../../src/supervision/rules/personal-data.js";
import { kindOf, kinds, names, textsOf } from "../support/corpus/corpus.js";
import { rulesOf } from "./rules/support.js";

/** Of each kind, from a seed that no rule was made with. */
const [count, seed] = [300, 971_123];
/** 1 of 1,000 over all kinds together. Of one kind so few that chance may bring them about where 2 of 1,000 are stopped. */
const mostOfKind = 2;
const mostOfAll = Math.floor((kinds.length * count) / 1_000);

const finding = (match: object) => {
  const rules = rulesOf({ match, action: "block", reason: "a false alarm" });
  return (text: string) => rules.judge(text).action !== "allow";
};
const [injection, orders, secrets] = [
  finding({ type: "injection" }),
  finding({ type: "injection", signs: "data" }),
  finding({ type: "secrets" }),
];
const rules: Readonly<Record<string, (kind: string) => (text: string) => boolean>> = {
  injection: () => injection,
  "orders in data": () => orders,
  secrets: () => secrets,
  "personal data": (kind) => {
    const held = kindOf(kind).holds ?? [];
    return finding({ type: "personalData", kinds: personalDataKinds.filter((each) => !held.includes(each)) });
  },
};

describe.each(Object.entries(rules))("%s", (_name, ruleOf) => {
  let stoppedOfAll = 0;

  it.each(kinds)("lets %s pass", (kind) => {
    const stopped = textsOf(kind, count, seed).filter(ruleOf(kind));
    stoppedOfAll += stopped.length;
    expect(stopped.length, stopped.join("\n\n")).toBeLessThanOrEqual(mostOfKind);
  });

  it("stops at most 1 of 1,000 of them all", () => {
    expect(stoppedOfAll).toBeLessThanOrEqual(mostOfAll);
  });
});

it("nobody is stopped for their name", () => {
  const stopped = names.filter((name) => injection(`Hey ${name}! When does my parcel arrive?`));
  expect(stopped).toEqual([]);
});
