/** How well an entry's time fits the dates of a query. */
import { type DayRange, dayNumber, daysApart, monthRange } from "./calendar.js";
import type { Candidate, MemoryStatistics } from "./candidate.js";
import { rangesOf } from "./dates.js";
import { splitTerms } from "./entry-terms.js";
import type { ParsedQuery } from "./query.js";
import type { RankingWeights } from "./weights.js";

/** A range of days that a query names, and whether it is exact enough for what was told soon after to count. */
export interface QueryRange {
  readonly range: DayRange;
  readonly exact: boolean;
}

/** The days that a query is about, as far as they touch the memory's span (and a year to either side). */
export function rangesOfQuery(query: ParsedQuery, statistics: MemoryStatistics): QueryRange[] {
  return query.dates.flatMap((mention) =>
    rangesOf(mention, statistics.span).map((range) => ({ range, exact: mention.precision !== "year" })),
  );
}

/** The days or months that an entry speaks of. */
function mentionedDays(candidate: Candidate): DayRange[] {
  return splitTerms(candidate.terms.marks).flatMap((mark) => {
    const [, year, month, day] = /^on:(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(mark) ?? [];
    if (year === undefined || month === undefined) return [];
    if (day === undefined) return [monthRange(Number(year), Number(month))];
    return [{ from: `${year}-${month}-${day}`, to: `${year}-${month}-${day}` }];
  });
}

/**
 * 1 for an entry that happened in, or speaks of, a time asked about; `soonAfter` for one shortly after it, when it may
 * be told; else 0.
 */
export function dateMatch(candidate: Candidate, queryRanges: readonly QueryRange[], weights: RankingWeights): number {
  if (queryRanges.length === 0) return 0;
  const day = candidate.occurredAt.slice(0, 10);
  const happened = { from: day, to: day };
  const mentioned = mentionedDays(candidate);
  let best = 0;
  for (const { range, exact } of queryRanges) {
    const distance = daysApart(range, happened);
    // a month spoken of is within a month or a season asked about, but says nothing of a single day
    const spoken = mentioned.some(({ from, to }) => dayNumber(from) >= dayNumber(range.from) && to <= range.to);
    if (distance === 0 || spoken) return 1;
    if (exact && distance > 0 && distance <= weights.soonAfterDays) best = weights.soonAfter;
  }
  return best;
}
