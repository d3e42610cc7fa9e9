/** A comparison as Markdown: for a pull request, a terminal, or somebody who reads it. */
import type { Share } from "../statistics/shares.js";
import type { Comparison } from "./comparison.js";

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
    ...candidates.flatMap(({ candidate, diverged }) =>
      diverged === undefined
        ? []
        : [`- **${candidate}** diverged in ${diverged.results}: ${shareText(diverged.share)} of its answers.`],
    ),
    ...(pairs.length === 0 ? [] : [""]),
  ].join("\n");
}

function shareText(share: Share | undefined): string {
  return share === undefined ? "not enough yet" : `${share.share} [${share.low}, ${share.high}]`;
}
