/** What happened in a turn or a run, as a line of time. */
import type { TurnTrace } from "../../routing/trace.js";
import { Badge } from "../parts.js";
import { Text } from "../visible-text.js";

type Entries = TurnTrace["entries"];

const width = 1_000;
const rowHeight = 22;
/** Where the line begins, behind the names. */
const left = 230;
const most = 60;

/**
 * How a turn or a run went: when, and each thing in words.
 * @param back the page that it was opened from, and what that is called
 */
export function Story({
  trace,
  back,
}: {
  readonly trace: Pick<TurnTrace, "status" | "entries" | "story">;
  readonly back: readonly [string, string];
}) {
  const { status, entries, story } = trace;
  const [href, name] = back;
  return (
    <>
      <p>
        <a href={href}>Back to {name}</a> <Badge>{status}</Badge>
      </p>
      <Debates entries={entries} />
      <TimeLine entries={entries} />
      <Text text={story} />
      <p class="hint">That you read this is on record.</p>
    </>
  );
}

/** A row for each thing that happened, where it happened in time. */
function TimeLine({ entries }: { readonly entries: Entries }) {
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

/** Panels that debated in it, as pages of their own. */
function Debates({ entries }: { readonly entries: Entries }) {
  const ids = new Set(entries.flatMap(({ data }) => roundtableIdIn(data)));
  if (ids.size === 0) return undefined;
  return (
    <p>
      A panel debated in it:{" "}
      {[...ids].map((id) => (
        <a href={`/console/roundtables/${id}`}>the roundtable</a>
      ))}
    </p>
  );
}

function roundtableIdIn(data: unknown): string[] {
  if (typeof data !== "object" || data === null || !("roundtableId" in data)) return [];
  return typeof data.roundtableId === "string" ? [data.roundtableId] : [];
}
