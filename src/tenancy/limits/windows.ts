/** Windows of time: when the one that a moment is in began, and when the next begins, where the limit's owner lives. */
import type { LimitWindow } from "./limit.js";

/** Milliseconds since the epoch. */
export interface WindowSpan {
  readonly start: number;
  /** Without an end: in total. */
  readonly end: number | undefined;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;

/**
 * The window that a moment is in.
 * @example windowAt("day", "UTC", Date.parse("2026-11-24T12:00:00Z")) // from midnight to midnight
 */
export function windowAt(window: LimitWindow, timeZone: string, now: number): WindowSpan {
  switch (window) {
    case "total":
      return { start: 0, end: undefined };
    case "minute":
      return spanOf(Math.floor(now / minuteMs) * minuteMs, minuteMs);
    case "hour": {
      // Some zones are half an hour off.
      const offset = offsetOf(timeZone, now);
      return spanOf(Math.floor((now + offset) / hourMs) * hourMs - offset, hourMs);
    }
    case "day":
    case "month": {
      const local = new Date(now + offsetOf(timeZone, now));
      const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
      return window === "day"
        ? {
            start: instantOf(Date.UTC(year, month, day), timeZone),
            end: instantOf(Date.UTC(year, month, day + 1), timeZone),
          }
        : {
            start: instantOf(Date.UTC(year, month, 1), timeZone),
            end: instantOf(Date.UTC(year, month + 1, 1), timeZone),
          };
    }
  }
}

function spanOf(start: number, length: number): WindowSpan {
  return { start, end: start + length };
}

/** The moment at which clocks of a zone show a time. Twice: its offset may change between the first guess and there. */
function instantOf(local: number, timeZone: string): number {
  const guess = local - offsetOf(timeZone, local);
  return local - offsetOf(timeZone, guess);
}

/** How far the clocks of a zone are ahead of UTC at a moment, in milliseconds. */
function offsetOf(timeZone: string, at: number): number {
  if (timeZone === "UTC") return 0;
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const shown = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return shown - Math.floor(at / 1_000) * 1_000;
}
