/** Judges texts of each source with a scorer that was trained without that source: what `eval:rules --leave-out source` prints. */
import { type Decided, type LabelledText, printDecided } from "../evaluation/rule-labels.js";
import { scoresOfUnseenSources, thresholdsFrom } from "./injection-model.js";

/**
 * A left-out source is judged whole. The thresholds are those at which the harmless texts, each judged without its own source,
 * give the false alarms asked for.
 */
export function reportLeaveOut(texts: readonly LabelledText[], sensitivity?: string): void {
  const scored = scoresOfUnseenSources(texts);
  for (const [name, threshold] of thresholdsFrom(scored)) {
    if (sensitivity !== undefined && sensitivity !== name) continue;
    console.log(`\n## each source left out, sensitivity ${name}`);
    printDecided(scored.map(({ text, score }): Decided => ({ text, found: score > threshold })));
  }
}
