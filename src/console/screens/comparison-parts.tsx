/** The one comparison as people read it: shares with their intervals, who is better in a sentence, and what each said beside the other. */
import { ownValue } from "../../conversation/own-value.js";
import type { Comparison } from "../../evidence/comparison.js";
import type { Share } from "../../statistics/shares.js";
import { actions } from "../../supervision/verdict.js";
import { Badge, Table, type Tone } from "../parts.js";
import { actionWords } from "./decision-words.js";

const verdictWords = {
  better: ["better", "good"],
  worse: ["worse", "bad"],
  stops_more: ["stops more", "warn"],
  stops_less: ["stops less", "warn"],
  no_difference: ["no difference", "plain"],
  not_enough: ["not enough yet", "plain"],
} as const satisfies Readonly<Record<string, readonly [string, Tone]>>;

/** @example shareWords({ share: 0.64, low: 0.553, high: 0.719 }) // "64 % (55.3 to 71.9)" */
export function shareWords(share: Share | undefined): string {
  const percent = (value: number): string => String(Math.round(value * 1_000) / 10);
  if (share === undefined) return "too few yet";
  return `${percent(share.share)} % (${percent(share.low)} to ${percent(share.high)})`;
}

export function Compared({ comparison: { candidates, pairs } }: { readonly comparison: Comparison }) {
  return (
    <>
      <Table
        label="Comparison"
        heads={["Candidate", "Decided", "Precision", "Recall", "False alarms", "Correct", "Median", "Tokens"]}
        rows={candidates.map(
          ({ candidate, results, failed, diverged, precision, recall, falseAlarms, correct, latencyMs, tokens }) => [
            <bdi>{candidate}</bdi>,
            `${results - failed - (diverged?.results ?? 0)} of ${results}`,
            ...[precision, recall, falseAlarms, correct].map(shareWords),
            latencyMs === undefined ? "" : `${latencyMs.median} ms`,
            tokens.toLocaleString("en"),
          ],
        )}
        empty="Nothing was judged yet."
      />
      {pairs.map(({ candidate, against, verdict, summary, agreement, actions: said }) => (
        <>
          <p>
            <Badge tone={verdictWords[verdict][1]}>{verdictWords[verdict][0]}</Badge> <bdi>{summary}</bdi>
          </p>
          <details class="panel">
            <summary>
              What <bdi>{candidate}</bdi> said beside <bdi>{against}</bdi>
            </summary>
            <p>
              {`The same: ${shareWords(agreement)}. A row for what `}
              <bdi>{against}</bdi> said, a column for <bdi>{candidate}</bdi>.
            </p>
            <Table
              label={`${candidate} beside ${against}`}
              heads={["Beside it", ...actions.map((action) => actionWords[action])]}
              rows={actions.map((first) => [
                actionWords[first],
                ...actions.map((second) => String(ownValue(ownValue(said, first) ?? {}, second) ?? 0)),
              ])}
              empty=""
            />
          </details>
        </>
      ))}
    </>
  );
}
