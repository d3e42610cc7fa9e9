/** Whatever text anybody sends, what reads it takes time in proportion to its length: nobody else waits for one who repeats a sign. */
import { describe, expect, it } from "vitest";
import { productSources } from "../../scripts/reading/sources.js";
import { textFunctions } from "../../scripts/reading/text-functions.js";
import { type Feed, type Run, slowness } from "../support/growth.js";
import { fed, notFed } from "./text-functions.js";

const runs: readonly Run[] = [
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

describe("functions over text", () => {
  it.each(Object.entries(fed))("%s takes time in proportion to its length", (_name, feed) => {
    expect(runs.map((run) => slowness(feed, run)).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it("tells what is quadratic, and what is worse, from what isn't", () => {
    const cut: Feed = (text) => text.replace(/^_+|_+$/g, "");
    expect(slowness(cut, ["a", "_", "a"])).toMatch(/\d+ ms for \d+ characters/);
    expect(slowness((text) => /a*a*b/.test(text), ["", "a", "c"])).toBeDefined();
    expect(slowness((text) => text.split("").sort(), ["", "ab", "c"])).toBeUndefined();
  }, 240_000);

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
