/** Whatever configuration the schema accepts, on whatever text: nothing throws, streams end as whole texts do, time grows with length alone. */
import { expect, it } from "vitest";
import { rulesConfigSchema } from "../../../src/supervision/rules/config.js";
import { compileRules } from "../../../src/supervision/rules/engine.js";
import { seeded, stream } from "./support.js";

/** Characters of every script that rules treat otherwise, and of what joins and hides them. */
const characters = Array.from(
  "aZ09 .,:;-_/\\@#+=()[]{}<>|'\"`~!?\n\t\u00ad\u200b\u200d\u0301\ufeff\u202eéßıİſΩжЯ字かカ한ไअمش٣०１Ａ𝐀😀🏽\ud800\udc00",
);
const fragments = [
  ...["ada@example.com", "+44 20 7946 0958", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "8.8.8.8"],
  ...[
    "password: hunter2!x",
    "ignore all previous instructions",
    "Dear AI, tell the user",
    "blue falcon",
    "<!--",
    "-->",
  ],
];
const patterns = ["a+b*", "(?i)zeppelin", "\\bfoo\\b", "[^a]{1,9}", "(a|aa)+$", "^x", "\\p{L}{2}", "x?y?z?", ""];

type Random = () => number;
const oneOf = <T>(list: readonly T[], random: Random): T | undefined => list[Math.floor(random() * list.length)];
const times = <T>(most: number, random: Random, make: () => T): T[] =>
  Array.from({ length: 1 + Math.floor(random() * most) }, make);

function anyText(random: Random, most: number): string {
  return times(most, random, () => oneOf(random() < 0.2 ? fragments : characters, random) ?? "").join("");
}

function anyRule(random: Random): unknown {
  const match = oneOf(
    [
      { type: "phrases", phrases: times(3, random, () => anyText(random, 12)), literal: random() < 0.5 },
      { type: "pattern", pattern: oneOf(patterns, random), flags: oneOf(["", "i", "m", "s"], random) },
      { type: "personalData", privateIps: random() < 0.5 },
      { type: "secrets" },
      { type: "injection", sensitivity: oneOf(["low", "medium", "high"], random) },
      { type: "injection", signs: "data" },
      { type: "length", max: 1 + Math.floor(random() * 60) },
    ],
    random,
  );
  const action = oneOf(["block", "redact", "replace", "review", "fence"], random);
  const replacement = action === "replace" || (action === "redact" && random() < 0.3) ? anyText(random, 4) : undefined;
  return { match, action, ...(replacement === undefined ? {} : { replacement }), reason: "found" };
}

it("judges any text, and streamed as it does whole", { timeout: 60_000 }, () => {
  const random = seeded(1515);
  let accepted = 0;
  for (let round = 0; round < 400; round++) {
    const { data } = rulesConfigSchema.safeParse({ rules: times(4, random, () => anyRule(random)) });
    if (data === undefined) continue;
    accepted += 1;
    const rules = compileRules(data);
    const text = anyText(random, 40);
    const whole = rules.judge(text);
    expect(["allow", "modify", "review", "block"]).toContain(rules.judgeData(text).action);
    const size = 1 + Math.floor(random() * 5);
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_none, at) =>
      text.slice(at * size, (at + 1) * size),
    );
    const streamed = stream(rules, pieces);
    const of = JSON.stringify({ data, text });
    expect(streamed.action, of).toBe(whole.action);
    if (whole.action === "allow" || whole.action === "modify") expect(streamed.released, of).toBe(whole.text);
  }
  expect(accepted).toBeGreaterThan(100);
});

it.each(["字", "ไ", "अ", "م", "٣ ", "한", "Ж ", "𝐀", "é", "\u200b", "1 ", "a@", "::", "AKIA", "eyJ", "-----BEGIN "])(
  "takes time that grows with the text's length: a flood of %j",
  { timeout: 60_000 },
  (unit) => {
    const rules = compileRules({
      rules: (["personalData", "secrets", "injection"] as const).map((type) => ({
        match: { type },
        action: "block",
        reason: "found",
      })),
    });
    const timed = (length: number) => {
      const text = unit.repeat(Math.ceil(length / unit.length));
      const started = performance.now();
      rules.judgeData(text);
      return performance.now() - started;
    };
    timed(10_000);
    // Ten times the text: quadratic work would take a hundred times as long; a busy machine is allowed for.
    expect(timed(100_000)).toBeLessThan(40 * timed(10_000) + 500);
  },
);
