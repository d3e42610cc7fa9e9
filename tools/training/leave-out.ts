/** Judges texts of each source with a scorer that was trained without that source: what `eval:rules --leave-out source` prints. */
import { type Decided, type LabelledText, printDecided } from "../evaluation/rule-labels.js";
import { rootOf, scoreAt, scoresOfUnseenSources, thresholdsFrom } from "./injection-model.js";

/** A left-out source is judged whole, at thresholds that are set on the harmless texts of the other sources, each judged without its own. */
export function reportLeaveOut(texts: readonly LabelledText[], sensitivity?: string): void {
  const scored = scoresOfUnseenSources(texts);
  const decided = new Map<string, Decided[]>();
  for (const [root, ofSource] of Map.groupBy(scored, ({ text }) => rootOf(text))) {
    for (const [name, threshold] of thresholdsFrom(scored.filter(({ text }) => rootOf(text) !== root))) {
      const soFar = decided.get(name) ?? [];
      decided.set(name, [
        ...soFar,
        ...ofSource.map((scored) => ({ text: scored.text, found: scoreAt(name, scored) > threshold })),
      ]);
    }
  }
  for (const [name, ofSensitivity] of decided) {
    if (sensitivity !== undefined && sensitivity !== name) continue;
    console.log(`\n## each source left out, sensitivity ${name}`);
    printDecided(ofSensitivity);
  }
}
