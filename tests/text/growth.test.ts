/** Whatever text anybody sends, what reads it takes time in proportion to its length: nobody else waits for one who repeats a sign. */
import { describe, expect, it } from "vitest";
import { productSources } from "../../scripts/reading/sources.js";
import { textFunctions } from "../../scripts/reading/text-functions.js";
import { type Feed, fed, notFed } from "./text-functions.js";

/** What stands before a run, what is repeated in it, and what comes after, which the run leads nobody to expect. */
const runs: readonly (readonly [before: string, repeated: string, after: string])[] = [
  ...[
    "_",
    " ",
    "\t",
    "\n",
    "\r\n ",
    "#",
    "*",
    "-",
    ".",
    "!",
    ":",
    "=",
    "|",
    "/",
    "\\",
    '"',
    "'",
    "`",
    "@",
    "~",
    "+",
  ].map((sign) => ["a", sign, "a"] as const),
  ...[
    "[",
    "(",
    "{",
    "<",
    "![",
    "[[",
    "](",
    "{{",
    "<!--",
    "<a ",
    "“",
    "«“",
    "%7B",
    "é",
    "e\u0301",
    "\u0301",
    "\u200b",
  ].map((sign) => ["", sign, "\0"] as const),
  ...[
    "a",
    "a_",
    "_a",
    "a ",
    "A",
    "Aª",
    "aB",
    "a.",
    "a@",
    "a-",
    "a,",
    "a: ",
    "1",
    "1 ",
    "1.",
    "1-",
    "-1",
    "0x",
    "漢",
    "한",
    "😀",
  ].map((part) => ["", part, "!"] as const),
  ...[
    "when ",
    "in May ",
    "A b ",
    "is it? ",
    "x\n\n",
    "# a\n",
    "- a\n",
    "```\n",
    "| a ",
    "[a](",
    "**a",
    '{"a":',
    '{"a":1,',
    '\\"',
  ].map((part) => ["", part, "%"] as const),
  ["# ", "\t", "\u2028a"],
  ["#\t:", "\t", "\n#"],
  ["- ", " ", "\u2028a"],
  ["{{", " ", "a"],
  ["```", " ", "a"],
  ["> ", " ", "\n a"],
  ["[from 1", ", 2", "a"],
  ["[from 1]", " ", "a"],
  ["password: q0", "_zH_xJ_qK_wPa", "#"],
  ["password: ", "aB1.", "!"],
  ["a", "+1 555 ", "-"],
  ["(", "+ ", "1"],
];

const textOf = ([before, repeated, after]: (typeof runs)[number], length: number): string =>
  before + repeated.repeat(Math.ceil(length / repeated.length)) + after;

/** The longest text that is tried, in characters: what is quadratic takes half a billion steps for it. */
const longest = 32_000;
/** What any text of that length may take, in milliseconds: what takes less is no matter. */
const unremarkable = 30;
/** A text of four times the length takes four times as long, sixteen times where time grows with the square. */
const mostGrowth = 9;

/** The processor's time and not the clock's: what else the machine does takes none of it. */
function timeOf(feed: Feed, text: string): number {
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

/** Why a function is too slow for a run; undefined: it isn't. Lengths grow by halves at first, so that what has no bound at all is seen early. */
function slowness(feed: Feed, run: (typeof runs)[number]): string | undefined {
  for (let length = 12; length <= longest; length *= length < 500 ? 1.5 : 4) {
    const fault = timeOf(feed, textOf(run, length)) < unremarkable ? undefined : growthFault(feed, run, length);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Measured anew until it is unremarkable, a few times: rubbish is collected and code compiled at any moment. */
function growthFault(feed: Feed, run: (typeof runs)[number], length: number, tries = 4): string | undefined {
  const [short, long] = [leastTime(feed, textOf(run, length / 4)), leastTime(feed, textOf(run, length))];
  if (long < unremarkable || long <= mostGrowth * short) return undefined;
  if (tries > 1 && long < beyondDoubt) return growthFault(feed, run, length, tries - 1);
  return `${JSON.stringify(run)}: ${long.toFixed(0)} ms for ${Math.round(length)} characters, ${short.toFixed(1)} ms for a quarter of them`;
}

describe("functions over text", () => {
  it.each(Object.entries(fed))("%s takes time in proportion to its length", (_name, feed) => {
    expect(runs.map((run) => slowness(feed, run)).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it("tells what is quadratic, and what is worse, from what isn't", () => {
    const cut: Feed = (text) => text.replace(/^_+|_+$/g, "");
    expect(slowness(cut, ["a", "_", "a"])).toMatch(/\d+ ms for \d+ characters/);
    expect(slowness((text) => /(?:a+)+b/.test(text), ["", "a", "c"])).toBeDefined();
    expect(slowness((text) => text.split("").sort(), ["", "ab", "c"])).toBeUndefined();
  });

  it("are all fed, or named with the reason why not", () => {
    const names = productSources()
      .flatMap(textFunctions)
      .map(({ name }) => name);
    const isNamed = (name: string) => name in fed || Object.keys(notFed).some((place) => name.startsWith(place));
    expect(
      names.filter((name) => !isNamed(name)),
      "name them in tests/text/text-functions.ts",
    ).toEqual([]);
    expect(Object.keys(notFed).filter((place) => !names.some((name) => name.startsWith(place)))).toEqual([]);
    // A second overload or a computed one may be fed without being found; a name that is gone may not.
    expect(Object.keys(fed).filter((name) => !names.includes(name))).toEqual([]);
  });
});
