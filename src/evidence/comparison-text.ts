/** A comparison as Markdown: for a pull request, a terminal, or somebody who reads it. */
import { ownValue } from "../conversation/own-value.js";
import type { Share } from "../statistics/shares.js";
import { actions } from "../supervision/verdict.js";
import type { Comparison } from "./comparison.js";
import type { Judgement } from "./judgement.js";

export function comparisonText({ candidates, pairs }: Comparison, title: string): string {
  const rows = candidates.map(
    ({ candidate, results, failed, diverged, precision, recall, falseAlarms, correct, latencyMs, tokens }) =>
      [
        candidate,
        `${results - failed - (diverged?.results ?? 0)} of ${results}`,
        ...[precision, recall, falseAlarms, correct].map(shareText),
        latencyMs === undefined ? "–" : `${latencyMs.median} ms`,
        String(tokens),
      ].join(" | "),
  );
  return [
    `# ${title}`,
    "",
    "| candidate | decided | precision | recall | false alarms | correct | median | tokens |",
    "|---|---|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
    "",
    ...pairs.map(({ candidate, against, summary }) => `- **${candidate}** against ${against}: ${summary}`),
    ...pairs.flatMap(({ judge }) => (judge === undefined ? [] : [judgeText(judge)])),
    ...candidates.flatMap(({ candidate, diverged }) =>
      diverged === undefined
        ? []
        : [`- **${candidate}** diverged in ${diverged.results}: ${shareText(diverged.share)} of its answers.`],
    ),
    ...(pairs.length === 0 ? [] : [""]),
    // Where nobody said what would be correct, what one said beside what the other said is all there is.
    ...pairs.filter(({ of }) => of === "stopped").flatMap(actionsText),
  ].join("\n");
}

function judgeText({ summary, flips, failed }: Judgement): string {
  const none = failed === 0 ? "" : ` Of ${failed} pairs it named none.`;
  return `- ${summary} Its winner flipped with the order in ${flips.pairs}: ${shareText(flips.share)}.${none}`;
}

function actionsText({ candidate, against, actions: said, agreement }: Comparison["pairs"][number]): string[] {
  return [
    `Agreement of ${candidate} and ${against}: ${shareText(agreement)}`,
    "",
    `| ${against} ↓ ${candidate} → | ${actions.join(" | ")} |`,
    `|---|${"---|".repeat(actions.length)}`,
    ...actions.map(
      (first) =>
        `| ${[first, ...actions.map((second) => ownValue(ownValue(said, first) ?? {}, second) ?? 0)].join(" | ")} |`,
    ),
    "",
  ];
}

function shareText(share: Share | undefined): string {
  return share === undefined ? "not enough yet" : `${share.share} [${share.low}, ${share.high}]`;
}
