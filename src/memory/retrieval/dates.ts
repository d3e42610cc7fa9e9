/**
 * Date mentions in text: "7 May 2023", "May 7", "in May", "2022", "2023-05-07", and, with a day to count from,
 * "yesterday", "last Tuesday", "two weeks ago". English; used on queries (what time is asked about) and on entries
 * (what time is spoken of).
 */
import { addDays, type DayRange, dayOf, monthRange, weekday, yearRange } from "./calendar.js";

/** How exact a mention is. */
export type DatePrecision = "day" | "week" | "month" | "season" | "year";

/** One mention of a date. Exactly one of `range` and `recurring` is there. */
export interface DateMention {
  /** The words that were read as a date. */
  readonly text: string;
  readonly precision: DatePrecision;
  /** The days meant, where the year is known. */
  readonly range?: DayRange;
  /** "May", "May 7": the month 1–12 and the day of any year. */
  readonly recurring?: { month: number; day?: number };
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const weekdayNames = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const seasonStart: ReadonlyMap<string, number> = new Map([
  ["spring", 3],
  ["summer", 6],
  ["autumn", 9],
  ["fall", 9],
  ["winter", 12],
]);
const countWords: ReadonlyMap<string, number> = new Map(
  ["a", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"].map((word, index) => [word, index + 1]),
);

const monthPattern =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b\\.?";
const yearPattern = "((?:19|20)\\d{2})\\b";
const dayPattern = "(\\d{1,2})(?:st|nd|rd|th)?";
const countPattern = "(\\d{1,3}|a|an|two|three|four|five|six|seven|eight|nine|ten)";
const weekdayPattern = `(${weekdayNames.join("|")})`;

type Reading = Omit<DateMention, "text"> | undefined;
type Groups = readonly (string | undefined)[];
interface Pattern {
  readonly expression: RegExp;
  /** @param today the ISO day that relative words count from, if known. */
  read(groups: Groups, today: string | undefined): Reading;
}

function monthNumber(name: string | undefined): number {
  return monthNames.indexOf((name ?? "").slice(0, 3).toLowerCase()) + 1;
}

function dayReading(year: string | undefined, month: number, day: string | undefined): Reading {
  if (year === undefined) {
    // 2024 is a leap year: it has every day a year can have
    return dayOf(2024, month, Number(day)) === undefined
      ? undefined
      : { precision: "day", recurring: { month, day: Number(day) } };
  }
  const iso = dayOf(Number(year), month, Number(day));
  return iso === undefined ? undefined : { precision: "day", range: { from: iso, to: iso } };
}

function monthReading(year: string | undefined, month: number): Reading {
  if (month < 1 || month > 12) return undefined;
  if (year === undefined) return { precision: "month", recurring: { month } };
  return { precision: "month", range: monthRange(Number(year), month) };
}

function seasonReading(season: string | undefined, year: number): Reading {
  const start = seasonStart.get((season ?? "").toLowerCase());
  if (start === undefined) return undefined;
  const range = { from: monthRange(year, start).from, to: monthRange(year, start + 2).to };
  return { precision: "season", range };
}

/** Monday to Sunday of the week that lies `weeks` weeks after the one of `today`. */
function weekReading(today: string, weeks: number): Reading {
  const monday = addDays(today, -((weekday(today) + 6) % 7) + 7 * weeks);
  return { precision: "week", range: { from: monday, to: addDays(monday, 6) } };
}

/** The day, week, month or year that lies so many units away from `today`. */
function unitReading(today: string, unit: string, amount: number): Reading {
  if (unit.startsWith("day")) {
    const day = addDays(today, amount);
    return { precision: "day", range: { from: day, to: day } };
  }
  if (unit.startsWith("weekend")) {
    const saturday = addDays(today, -((weekday(today) + 1) % 7) + 7 * amount + (amount < 0 ? 7 : 0));
    return { precision: "week", range: { from: saturday, to: addDays(saturday, 1) } };
  }
  if (unit.startsWith("week")) return weekReading(today, amount);
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
  if (unit.startsWith("month")) return { precision: "month", range: monthRange(year, month + amount) };
  return { precision: "year", range: yearRange(year + amount) };
}

/** The nearest such weekday before (or after) `today`, today itself not counted. */
function weekdayReading(today: string, name: string, direction: -1 | 1): Reading {
  const wantedDay = weekdayNames.indexOf(name.toLowerCase());
  const distance = direction === -1 ? (weekday(today) - wantedDay + 6) % 7 : (wantedDay - weekday(today) + 6) % 7;
  const day = addDays(today, direction * (distance + 1));
  return { precision: "day", range: { from: day, to: day } };
}

function amountOf(word: string | undefined): number {
  const lower = (word ?? "").toLowerCase();
  return lower === "an" ? 1 : (countWords.get(lower) ?? Number(lower));
}

/** 0, 1 and −1 for "this", "next" and "last"/"past". */
function stepOf(word: string | undefined): number {
  const lower = (word ?? "").toLowerCase();
  return lower === "this" ? 0 : lower === "next" || lower === "coming" ? 1 : -1;
}

/** In order of precedence: what an earlier one has read, a later one doesn't read again. */
const datePatterns: readonly Pattern[] = [
  {
    expression: /(?<![\d-])(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)/g,
    read: ([, year, month, day]) => dayReading(year, Number(month), day),
  },
  { expression: /(?<![\d-])(\d{4})-(\d{2})(?![\d-])/g, read: ([, year, month]) => monthReading(year, Number(month)) },
  {
    expression: new RegExp(`\\b${dayPattern}\\s+(?:of\\s+)?${monthPattern}(?:,?\\s+${yearPattern})?`, "gi"),
    read: ([, day, month, year]) => dayReading(year, monthNumber(month), day),
  },
  {
    expression: new RegExp(`\\b${monthPattern}\\s+(?:the\\s+)?${dayPattern}(?!\\d)(?:,?\\s*${yearPattern})?`, "gi"),
    read: ([, month, day, year]) => dayReading(year, monthNumber(month), day),
  },
  {
    expression: new RegExp(`\\b${monthPattern},?\\s+(?:of\\s+)?${yearPattern}`, "gi"),
    read: ([, month, year]) => monthReading(year, monthNumber(month)),
  },
  {
    expression: new RegExp(`\\b(spring|summer|autumn|fall|winter),?\\s+(?:of\\s+)?${yearPattern}`, "gi"),
    read: ([, season, year]) => seasonReading(season, Number(year)),
  },
  {
    expression: /\b(last|past|this|next|coming)\s+(weekend|week|month|year)\b/gi,
    read: ([, which, unit], today) => (today === undefined ? undefined : unitReading(today, unit ?? "", stepOf(which))),
  },
  {
    expression: new RegExp(`\\b(last|past|this|next|coming|on)\\s+${weekdayPattern}\\b`, "gi"),
    read: ([, which, day], today) =>
      today === undefined
        ? undefined
        : weekdayReading(today, day ?? "", /next|coming|this/i.test(which ?? "") ? 1 : -1),
  },
  {
    expression: /\b(last|this|next)\s+(spring|summer|autumn|fall|winter)\b/gi,
    read: ([, which, season], today) => {
      if (today === undefined) return undefined;
      const start = seasonStart.get((season ?? "").toLowerCase()) ?? 0;
      const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))];
      const step = stepOf(which);
      // "last summer" is this year's once it is over, "next summer" is this year's until it begins
      const over = step === -1 && month >= start + 3;
      const ahead = step === 1 && month < start;
      return seasonReading(season, over || ahead ? year : year + step);
    },
  },
  {
    expression: new RegExp(`\\b${countPattern}\\s+(day|weekend|week|month|year)s?\\s+ago\\b`, "gi"),
    read: ([, count, unit], today) =>
      today === undefined ? undefined : unitReading(today, unit ?? "", -amountOf(count)),
  },
  {
    expression: /\b(yesterday|last night|today|tonight|this morning|tomorrow)\b/gi,
    read: ([, word], today) => {
      const lower = (word ?? "").toLowerCase();
      const amount = lower === "tomorrow" ? 1 : /^(?:yes|last)/.test(lower) ? -1 : 0;
      return today === undefined ? undefined : unitReading(today, "day", amount);
    },
  },
  {
    // "May" and "March" are also other words: a month on its own needs a capital, and those two a preposition
    expression: new RegExp(
      `(?<=\\b(?:in|during|of|since|by|until|till|before|after|early|mid|late|last|next|this)[ -])${monthPattern}`,
      "gi",
    ),
    read: ([, month]) => monthReading(undefined, monthNumber(month)),
  },
  {
    expression: /\b(January|February|April|June|July|August|September|October|November|December)\b/g,
    read: ([, month]) => monthReading(undefined, monthNumber(month)),
  },
  {
    expression: new RegExp(`(?<![\\d.,$€£-])\\b${yearPattern}(?![\\d-])`, "g"),
    read: ([, year]) => ({ precision: "year", range: yearRange(Number(year)) }),
  },
];

/**
 * The dates mentioned in a text, in the order of the text.
 * @param now ISO day or time that relative words ("yesterday") count from; without it they are left out.
 */
export function findDates(text: string, now?: string): DateMention[] {
  const today =
    now === undefined || Number.isNaN(Date.parse(now)) ? undefined : new Date(now).toISOString().slice(0, 10);
  const found: { at: number; mention: DateMention }[] = [];
  let rest = text;
  for (const { expression, read } of datePatterns) {
    rest = rest.replace(expression, (...args) => {
      const groups = args.filter((arg): arg is string | undefined => typeof arg === "string" || arg === undefined);
      const matched = groups[0] ?? "";
      const at = Number(args.find((arg) => typeof arg === "number"));
      // the last string of `args` is the whole text, not a group
      const reading = read(groups.slice(0, -1), today);
      if (reading === undefined) return matched;
      found.push({ at, mention: { text: matched, ...reading } });
      return "\u0000".repeat(matched.length);
    });
  }
  return found.sort((a, b) => a.at - b.at).map(({ mention }) => mention);
}

const timeWords =
  /\b(?:yesterday|today|tonight|tomorrow|(?:last|next|this|past|coming|every|the other) (?:night|day|week|weekend|month|year|spring|summer|fall|autumn|winter|morning|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:days?|weeks?|weekends?|months?|years?) (?:ago|back|before)|since|recently|just (?:now|got|started|finished)|for (?:\w+ ){1,2}(?:days|weeks|months|years))\b/i;

/** Whether a text says when something happens: a date, a relative date, or a word like "recently". */
export function namesTime(text: string): boolean {
  return timeWords.test(text) || findDates(text).length > 0;
}

/** The month or day of any year as a range of one year. */
function inYear(recurring: { month: number; day?: number }, year: number): DayRange | undefined {
  if (recurring.day === undefined) return monthRange(year, recurring.month);
  const day = dayOf(year, recurring.month, recurring.day);
  return day === undefined ? undefined : { from: day, to: day };
}

/**
 * The days that a mention means between two moments: recurring ones ("in May") once for each year, the latest first.
 * @param span the first and the last moment that matter (ISO), such as those of a memory's entries.
 */
export function rangesOf(mention: DateMention, span: DayRange): DayRange[] {
  if (mention.range !== undefined) return [mention.range];
  const ranges: DayRange[] = [];
  const { recurring } = mention;
  if (recurring === undefined) return ranges;
  for (let year = Number(span.to.slice(0, 4)); year >= Number(span.from.slice(0, 4)); year -= 1) {
    const range = inYear(recurring, year);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}
