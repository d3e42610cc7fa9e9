/** Dates among numbers. A date is no telephone number and a part of none. */

/** With the day, the month or the year first; complete, and not beside more of the same. */
const candidate =
  /(?<!\d|\d[./-])(?:(\d{1,2})([./-]) ?(\d{1,2})\2 ?((?:19|20)?\d{2})|((?:19|20)\d{2})([./-])(\d{1,2})\6(\d{1,2})|((?:19|20)\d{2})(\d{2})(\d{2}))(?![./-]?\d)/g;

const isDay = (text: string | undefined): boolean => Number(text) >= 1 && Number(text) <= 31;
const isMonth = (text: string | undefined): boolean => Number(text) >= 1 && Number(text) <= 12;

/** Replaces each date by as many x. */
export function withoutDates(run: string): string {
  return run.replace(candidate, (...parts: (string | undefined)[]) => {
    const [date = "", first, , second, , , , month, day, , plainMonth, plainDay] = parts;
    const isDate =
      (isDay(first) && isMonth(second)) ||
      (isMonth(first) && isDay(second)) ||
      (isMonth(month) && isDay(day)) ||
      (isMonth(plainMonth) && isDay(plainDay));
    return isDate ? "x".repeat(date.length) : date;
  });
}
