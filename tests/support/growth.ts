/** Whether a function takes time in proportion to the length of the text that it is fed. */

export type Feed = (text: string) => unknown;

/** What stands before a run, what is repeated in it, and what comes after, which the run leads nobody to expect. */
export type Run = readonly [before: string, repeated: string, after: string];

const textOf = ([before, repeated, after]: Run, length: number): string =>
  before + repeated.repeat(Math.ceil(length / repeated.length)) + after;

/** What any text of that length may take, in milliseconds: what takes less is no matter. */
const unremarkable = 30;
/** A text of four times the length takes four times as long, sixteen times where time grows with the square. */
const mostGrowth = 9;

/** The processor's time and not the clock's: what else the machine does takes none of it. */
export function timeOf(feed: Feed, text: string): number {
  const since = process.threadCpuUsage();
  try {
    feed(text);
  } catch {
    // What it says of such a text is another test's matter.
  }
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1_000;
}

/** What takes so long, in milliseconds, isn't measured twice. */
const beyondDoubt = 300;

function leastTime(feed: Feed, text: string): number {
  const first = timeOf(feed, text);
  return first > beyondDoubt ? first : Math.min(first, timeOf(feed, text), timeOf(feed, text));
}

/**
 * Why a function is too slow for a run; undefined: it isn't. Lengths grow by halves at first, so that what has no bound at all is seen early.
 * @param longest the longest text that is tried, in characters: what is quadratic takes half a billion steps for 32,000
 */
export function slowness(feed: Feed, run: Run, longest = 32_000): string | undefined {
  for (let length = 12; length <= longest; length *= length < 500 ? 1.5 : 4) {
    const fault = timeOf(feed, textOf(run, length)) < unremarkable ? undefined : growthFault(feed, run, length);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Measured anew until it is unremarkable, a few times: rubbish is collected and code compiled at any moment. */
function growthFault(feed: Feed, run: Run, length: number, tries = 4): string | undefined {
  const [short, long] = [leastTime(feed, textOf(run, length / 4)), leastTime(feed, textOf(run, length))];
  if (long < unremarkable || long <= mostGrowth * short) return undefined;
  if (tries > 1 && long < beyondDoubt) return growthFault(feed, run, length, tries - 1);
  return `${JSON.stringify(run)}: ${long.toFixed(0)} ms for ${Math.round(length)} characters, ${short.toFixed(1)} ms for a quarter of them`;
}
