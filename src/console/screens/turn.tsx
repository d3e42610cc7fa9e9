/** How a turn went: what happened when, as a line of time, and each thing in words. */
import { readTurnTrace } from "../../application/sessions/read-turn-trace.js";
import { Badge } from "../parts.js";
import type { Screen } from "../screen.js";
import { Text } from "../visible-text.js";

export const turn: Screen = {
  path: "/conversations/:sessionId/turns/:turnId",
  needs: readTurnTrace,
  show: async (visit) => {
    const { sessionId = "", turnId = "" } = visit.params;
    // It has no input of its own that a face could read.
    const { status, entries, story } = await readTurnTrace(visit.actor, { sessionId, turnId }, visit.services);
    return {
      title: "Turn",
      body: (
        <>
          <p>
            <a href={`/console/conversations/${sessionId}`}>Back to the conversation</a> <Badge>{status}</Badge>
          </p>
          <TimeLine entries={entries} />
          <Text text={story} />
          <p class="hint">That you read this is on record.</p>
        </>
      ),
    };
  },
};

const width = 1_000;
const rowHeight = 22;
/** Where the line begins, behind the names. */
const left = 230;
const most = 60;

/** A row for each thing that happened, where it happened in time. */
function TimeLine({ entries }: { readonly entries: readonly { readonly type: string; readonly at: string }[] }) {
  const shown = entries.slice(0, most);
  const [first] = shown;
  const last = shown.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const began = Date.parse(first.at);
  const span = Math.max(1, Date.parse(last.at) - began);
  const placeOf = (at: string): number => left + ((Date.parse(at) - began) / span) * (width - left - 90);
  const height = rowHeight * (shown.length + 1);
  return (
    <svg
      class="timeline"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${shown.length} things in ${inWords(span)}`}
    >
      <line x1={left} y1={rowHeight / 2} x2={left} y2={height - rowHeight} />
      {shown.map(({ type, at }, index) => {
        const y = rowHeight * (index + 0.75);
        return (
          <g>
            <text x={left - 12} y={y + 4} text-anchor="end">
              {type}
            </text>
            <line x1={left} y1={y} x2={placeOf(at)} y2={y} />
            <circle cx={placeOf(at)} cy={y} r="5" />
            <text x={placeOf(at) + 10} y={y + 4}>
              {inWords(Date.parse(at) - began)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

function inWords(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
