/** Judges texts of each source with a scorer that was trained without that source: what `eval:rules --leave-out source` prints. */
import { InjectionScorer } from "../../src/supervision/rules/injection/scorer.js";
import { type Decided, type LabelledText, printDecided } from "../evaluation/rule-labels.js";
import { falseAlarmShares, pack, readTexts, scoreOf, thresholdFor, trainScorer } from "./injection-model.js";

/**
 * `cyberseceval` and `cyberseceval/indirect` are one source. A left-out source is judged whole, by what was trained on the part
 * `train` of the others. The thresholds are those at which the harmless texts, each judged without its own source, give the
 * false alarms asked for.
 */
export function reportLeaveOut(texts: readonly LabelledText[], sensitivity?: string): void {
  const rootOf = ({ source }: LabelledText) => source.split("/")[0] ?? source;
  const training = readTexts().filter(({ split }) => split !== "dev");
  const scored: { text: LabelledText; score: number }[] = [];
  for (const root of new Set(texts.map(rootOf))) {
    const scorer = new InjectionScorer(pack(trainScorer(training.filter((text) => rootOf(text) !== root))));
    for (const text of texts) if (rootOf(text) === root) scored.push({ text, score: scoreOf(text, scorer) });
  }
  const harmless = scored.filter(({ text }) => text.label === 0).map(({ score }) => score);
  for (const [name, share] of Object.entries(falseAlarmShares)) {
    if (sensitivity !== undefined && sensitivity !== name) continue;
    const threshold = thresholdFor(harmless, share);
    console.log(`\n## each source left out, sensitivity ${name}`);
    printDecided(scored.map(({ text, score }): Decided => ({ text, found: score > threshold })));
  }
}
