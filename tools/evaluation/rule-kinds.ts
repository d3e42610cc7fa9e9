/** Measures what rules that ship stop of harmless texts, by kind of text: `npm run eval:rules -- --kinds 1000 [--seed 7]`. */
import { rulesConfigSchema } from "../../src/supervision/rules/config.js";
import { compileRules } from "../../src/supervision/rules/engine.js";
import { personalDataKinds } from "../../src/supervision/rules/personal-data.js";
import { kindOf, kinds, textsOf } from "../../tests/support/corpus/corpus.js";

const rulesOf = (match: object) =>
  compileRules(rulesConfigSchema.parse({ rules: [{ match, action: "block", reason: "a false alarm" }] }));

/** Prints a line for each kind of which something is stopped: of 1,000 texts, so many, by rule. */
export function reportKinds(count: number, seed: number): void {
  const injection = rulesOf({ type: "injection" });
  const [orders, secrets] = [rulesOf({ type: "injection", signs: "data" }), rulesOf({ type: "secrets" })];
  const heads = ["injection", "in doubt", "orders in data", "personal data", "secrets"];
  console.log(`of 1,000 texts of a kind (${count} each, seed ${seed}): ${heads.join(", ")}`);
  const totals = heads.map(() => 0);
  for (const kind of kinds) {
    const held = kindOf(kind).holds ?? [];
    const personal = rulesOf({ type: "personalData", kinds: personalDataKinds.filter((each) => !held.includes(each)) });
    const texts = textsOf(kind, count, seed);
    const stopped = [injection, orders, personal, secrets].map(
      (rules) => texts.filter((text) => rules.judge(text).action !== "allow").length,
    );
    const inDoubt = texts.filter((text) => injection.judge(text).inDoubt === true).length;
    const row = [stopped[0] ?? 0, inDoubt, ...stopped.slice(1)];
    for (const [at, number] of row.entries()) totals[at] = (totals[at] ?? 0) + number;
    if (row.some((number) => number > 0))
      console.log(`  ${kind.padEnd(44)}${row.map((number) => shown(number, count)).join("")}`);
  }
  console.log(`  ${"all".padEnd(44)}${totals.map((number) => shown(number, count * kinds.length)).join("")}`);
}

const shown = (number: number, of: number): string => ((number / of) * 1_000).toFixed(1).padStart(8);
