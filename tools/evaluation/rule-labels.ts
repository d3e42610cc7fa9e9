/** Measures the injection match on labelled texts: recall, precision, false alarms; by source and by language. */
import { z } from "zod";
import { rulesConfigSchema } from "../../src/supervision/rules/config.js";
import { compileRules } from "../../src/supervision/rules/engine.js";
import { type Sensitivity, sensitivities } from "../../src/supervision/rules/injection.js";
import { shareText } from "./intervals.js";

export const labelledTextSchema = z.object({
  text: z.string(),
  label: z.union([z.literal(0), z.literal(1)]),
  source: z.string().default(""),
  lang: z.string().default(""),
  family: z.string().default(""),
  split: z.string().default(""),
});
export type LabelledText = z.infer<typeof labelledTextSchema>;

/** A text with what was decided of it. */
export interface Decided {
  readonly text: LabelledText;
  readonly found: boolean;
  /** Not found, and not sure: a second look would be asked for. */
  readonly inDoubt?: boolean;
}

export interface LabelOptions {
  readonly split?: string | undefined;
  readonly sensitivity?: string | undefined;
}

/** Prints one report for each sensitivity asked for. */
export function reportLabels(all: readonly LabelledText[], options: LabelOptions): void {
  const texts = all.filter(({ split }) => options.split === undefined || split === options.split);
  for (const sensitivity of sensitivities) {
    if (options.sensitivity !== undefined && options.sensitivity !== sensitivity) continue;
    console.log(`\n## sensitivity ${sensitivity}`);
    const judge = injectionJudge(sensitivity);
    printDecided(texts.map((text) => ({ text, ...judge(text.text) })));
  }
}

function injectionJudge(sensitivity: Sensitivity): (text: string) => Omit<Decided, "text"> {
  const rule = { match: { type: "injection", sensitivity }, action: "block", reason: "injection" };
  const rules = compileRules(rulesConfigSchema.parse({ rules: [rule] }));
  return (text) => {
    const { action, inDoubt = false } = rules.judge(text);
    return { found: action !== "allow", inDoubt };
  };
}

/** Prints totals, the confusion matrix, and recall and false alarms by source and by language. */
export function printDecided(decided: readonly Decided[]): void {
  const count = (label: 0 | 1, found: boolean) =>
    decided.filter((each) => each.text.label === label && each.found === found).length;
  const [hits, missed, alarms, passed] = [count(1, true), count(1, false), count(0, true), count(0, false)];
  console.log(`attacks found        ${shareText(hits, hits + missed)}`);
  console.log(`precision            ${shareText(hits, hits + alarms)}`);
  console.log(`false alarms         ${shareText(alarms, alarms + passed)}`);
  console.log(
    `confusion            attack: ${hits} found, ${missed} missed; harmless: ${alarms} found, ${passed} passed`,
  );
  const doubts = (label: 0 | 1) => decided.filter(({ text, inDoubt }) => text.label === label && inDoubt).length;
  console.log(`in doubt             attacks ${shareText(doubts(1), hits + missed)}`);
  console.log(`                     harmless ${shareText(doubts(0), alarms + passed)}`);
  printBy("source", decided, ({ source }) => source);
  printBy("language", decided, ({ lang }) => lang);
}

function printBy(what: string, decided: readonly Decided[], key: (text: LabelledText) => string): void {
  for (const label of [1, 0] as const) {
    const ofLabel = decided.filter(({ text }) => text.label === label);
    const keys = [...new Set(ofLabel.map(({ text }) => key(text)))].filter((each) => each !== "").sort();
    if (keys.length === 0) continue;
    console.log(`\n${label === 1 ? "attacks found" : "false alarms"} by ${what}`);
    for (const each of keys) {
      const group = ofLabel.filter(({ text }) => key(text) === each);
      console.log(`  ${each.padEnd(24)} ${shareText(group.filter(({ found }) => found).length, group.length)}`);
    }
  }
}
