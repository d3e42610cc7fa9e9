/** Calendar days as ISO strings ("2023-05-07") and the little arithmetic that date mentions need. All in UTC. */

/** Days from `from` to `to`, both included, as ISO days. */
export interface DayRange {
  from: string;
  to: string;
}

const DAY_MS = 86_400_000;

/** Days since 1970-01-01 of an ISO day or time; NaN if it is neither. */
export function dayNumber(iso: string): number {
  return Math.floor(Date.parse(iso.length > 10 ? iso : iso.slice(0, 10)) / DAY_MS);
}

/** The ISO day of a day number. */
function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The day so many days later (or earlier). */
export function addDays(iso: string, days: number): string {
  return isoDay(dayNumber(iso) + days);
}

/** 0 for Sunday … 6 for Saturday. */
export function weekday(iso: string): number {
  return (((dayNumber(iso) + 4) % 7) + 7) % 7;
}

/** A day, or null where the calendar has no such day (31 April) or the year has other than four digits. */
export function dayOf(year: number, month: number, day: number): string | null {
  if (year < 1000 || year > 9999 || month < 1 || month > 12 || day < 1) return null;
  const iso = isoDay(Math.floor(Date.UTC(year, month - 1, day) / DAY_MS));
  return Number(iso.slice(5, 7)) === month && Number(iso.slice(0, 4)) === year ? iso : null;
}

/** All days of a month (1–12, counted on into other years beyond that). */
export function monthRange(year: number, month: number): DayRange {
  const first = Math.floor(Date.UTC(year, month - 1, 1) / DAY_MS);
  const last = Math.floor(Date.UTC(year, month, 1) / DAY_MS) - 1;
  return { from: isoDay(first), to: isoDay(last) };
}

/** All days of a year. */
export function yearRange(year: number): DayRange {
  return { from: `${year}-01-01`, to: `${year}-12-31` };
}

/** How many days a range lies away from another: 0 if they touch; positive if `other` begins after `range` ends. */
export function daysApart(range: DayRange, other: DayRange): number {
  if (other.from > range.to) return dayNumber(other.from) - dayNumber(range.to);
  if (other.to < range.from) return dayNumber(other.to) - dayNumber(range.from);
  return 0;
}
