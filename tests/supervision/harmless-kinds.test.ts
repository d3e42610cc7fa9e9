/** Nothing harmless is stopped: rules that ship, as they stand without settings, over every kind of text that passes a hook. */
import { describe, expect, it } from "vitest";
import { explainedOrders, explainedScore } from "../../src/supervision/rules/injection.js";
import { kinds, names, textsOf } from "../support/corpus/corpus.js";

/** Of a kind; with others than these the rules were made. */
const [count, seed] = [250, 971_123];
/** At most 2 of 1,000 over all kinds together, and so few of one that chance alone makes no more of 2 of 1,000. */
const mostOfKind = 3;
const mostOfAll = Math.floor((kinds.length * count * 2) / 1_000);

const rules = {
  injection: (text: string) => {
    const { signed, threshold } = explainedScore(text);
    return signed > threshold;
  },
  "orders in data": (text: string) => {
    const { score, threshold } = explainedOrders(text);
    return score >= threshold;
  },
};

describe.each(Object.entries(rules))("%s", (_name, isStopped) => {
  let stoppedOfAll = 0;

  it.each(kinds)("lets %s pass", (kind) => {
    const stopped = textsOf(kind, count, seed).filter(isStopped);
    stoppedOfAll += stopped.length;
    expect(stopped.length, stopped.join("\n\n")).toBeLessThanOrEqual(mostOfKind);
  });

  it("stops at most 2 of 1,000 of them all", () => {
    expect(stoppedOfAll).toBeLessThanOrEqual(mostOfAll);
  });
});

it("nobody is stopped for their name", () => {
  const stopped = names.filter((name) => rules.injection(`Hey ${name}! When does my parcel arrive?`));
  expect(stopped).toEqual([]);
});
