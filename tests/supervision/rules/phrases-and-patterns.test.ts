import { describe, expect, it } from "vitest";
import { defined } from "../../../src/conversation/defined.js";
import { finds, rulesOf } from "./support.js";

const phrases = (
  list: string[],
  options: { caseSensitive?: boolean; wholeWords?: boolean; literal?: boolean } = {},
) => {
  return { type: "phrases" as const, phrases: list, ...options };
};

describe("phrases", () => {
  it("are found whatever the case and white space", () => {
    expect(finds(phrases(["Crown  jewels"]), "the CROWN jewels, crown\u00a0\n\tJewels; crownjewels")).toEqual([
      "CROWN jewels",
      "crown\u00a0\n\tJewels",
    ]);
  });

  it("are found in one case only, if told so", () => {
    expect(finds(phrases(["Apple"], { caseSensitive: true }), "apple Apple APPLE")).toEqual(["Apple"]);
  });

  it("are found inside words, unless told otherwise", () => {
    expect(finds(phrases(["cat"]), "concatenate")).toEqual(["cat"]);
    expect(finds(phrases(["cat"], { wholeWords: true }), "concatenate cats _cat cat2 café-cat; cat")).toEqual([
      "cat",
      "cat",
    ]);
    expect(finds(phrases(["uni"], { wholeWords: true }), "unité üni uni")).toEqual(["üni", "uni"]);
  });

  it("are all found where they overlap, and edited as one", () => {
    expect(finds(phrases(["new york", "york city", "abab"]), "new york city, ababab")).toEqual([
      "new york city",
      "ababab",
    ]);
    expect(finds(phrases(["a cat", "cat"], { wholeWords: true }), "xa cat")).toEqual(["cat"]);
  });

  it.each([
    ["zero-width characters", "for\u200bbid\u2060den", "forbidden"],
    ["soft hyphens", "for\u00adbidden", "forbidden"],
    ["full-width letters", "ｆｏｒｂｉｄｄｅｎ", "forbidden"],
    ["mathematical letters", "𝐟𝐨𝐫𝐛𝐢𝐝𝐝𝐞𝐧", "forbidden"],
    ["a ligature", "oﬃce", "office"],
    ["tag characters", "for\u{e0062}bidden", "forbidden"],
    ["control characters", "for\u0008bidden", "forbidden"],
    ["strokes over its letters", "f\u0336o\u0336r\u0336b\u0336i\u0336d\u0336d\u0336e\u0336n", "forbidden"],
    ["frames around its digits", "4\ufe0f\u20e37\ufe0f\u20e31", "471"],
    ["digits of other scripts", "٤٧١ ४७१", "471 471"],
    ["a blank that is no space", "for\u2800bidden", "for bidden"],
    ["another space", "for\u2003bidden", "for bidden"],
    ["another dash", "for\u2013bidden", "for-bidden"],
    ["another apostrophe", "don’t", "don't"],
    ["a decomposed accent", "cafe\u0301", "café"],
    ["a composed accent", "café", "cafe\u0301"],
    ["a sharp s", "STRASSE", "straße"],
    ["a final sigma", "ΟΔΟΣ", "οδος"],
  ])("are found although written with %s, as they stand in the text", (_what, written, phrase) => {
    expect(finds(phrases([phrase]), `😀 a ${written} z`)).toEqual([written]);
  });

  it.each([
    "blue-falcon",
    "blue_falcon",
    "blue.falcon",
    "blue/falcon",
    "Blue — Falcon",
    "blue, falcon",
    "*blue* *falcon*",
    "blüe fálcon",
    "blu\u0301e falco\u0301n",
    "b\u0308lue\nfalcon",
  ])("are found with other punctuation between words and other accents: %s", (written) => {
    const [found = ""] = finds(phrases(["blue falcon"]), `see ${written} there`);
    expect(found).toBe(written.replace(/^\*|\*$/g, ""));
    expect(finds(phrases(["Blúe-Falcon"]), `see ${written} there`)).toEqual([found]);
    expect(finds(phrases(["blue falcon"], { wholeWords: true }), `see ${written} there`)).toEqual([found]);
  });

  it("are not found where a sentence ends between their words, nor where nothing is between them", () => {
    expect(finds(phrases(["blue falcon"]), "It is blue. Falcon is a bird! Blue: falcon? bluefalcon")).toEqual([]);
  });

  it("are found without the accents of other letters, and in points and vowel signs", () => {
    expect(finds(phrases(["ano", "cafe"]), "año an\u0303o café cafe\u0301")).toEqual([
      "año",
      "an\u0303o",
      "café",
      "cafe\u0301",
    ]);
    expect(
      finds(phrases(["crème brûlée", "smørrebrød", "łódź", "مدرسة"]), "creme brulee, smorrebrod, lodz, مَدْرَسَة"),
    ).toEqual(["creme brulee", "smorrebrod", "lodz", "مَدْرَسَة"]);
  });

  it("keep the punctuation at their ends", () => {
    expect(finds(phrases(["c++", ".net"]), "c, c++ and net, .net")).toEqual(["c++", ".net"]);
  });

  it("are found only with their own accents and punctuation, if told so", () => {
    const text = "año an\u0303o ano blue-falcon blue falcon";
    expect(finds(phrases(["ano", "blue falcon"], { literal: true }), text)).toEqual(["ano", "blue falcon"]);
  });
});

describe("a pattern", () => {
  const pattern = (source: string, flags?: string) => ({
    type: "pattern" as const,
    pattern: source,
    ...defined({ flags }),
  });

  it("is RE2 syntax, with flags", () => {
    expect(finds(pattern("ab+"), "abb AB ab")).toEqual(["abb", "ab"]);
    expect(finds(pattern("ab+", "i"), "abb AB")).toEqual(["abb", "AB"]);
    expect(finds(pattern("^x.*$", "m"), "x1\nyx\nx2")).toEqual(["x1", "x2"]);
    expect(finds(pattern("a.b", "s"), "a\nb")).toEqual(["a\nb"]);
    expect(finds(pattern("\\p{Greek}+"), "abc αβγ")).toEqual(["αβγ"]);
    expect(finds(pattern("<.+?>"), "<a><b>")).toEqual(["<a>", "<b>"]);
  });

  it("looks at the text as it is, and normalised", () => {
    expect(finds(pattern("secret"), "sec\u200bret, ｓecret")).toEqual(["sec\u200bret", "ｓecret"]);
    expect(finds(pattern("[\\x{ff41}-\\x{ff5a}]+"), "abc ａｂｃ")).toEqual(["ａｂｃ"]);
    expect(finds(pattern("\u200b"), "a\u200bb")).toEqual(["\u200b"]);
  });

  it("takes linear time however it nests", () => {
    const text = `${"a".repeat(20_000)}!`;
    for (const source of ["(a+)+$", "(.*)*x", "(?:(?:a*)*)*b", "(a|a)*c", "(a?){50}a{50}b"]) {
      expect(
        rulesOf({ match: pattern(source), action: "redact", replacement: "#", reason: "r" }).judge(text).action,
      ).toBe("allow");
    }
  });

  it("counts as found where a text makes it take more than that", () => {
    const rules = rulesOf({ match: pattern("a(?:[a-z]*!)?"), action: "redact", replacement: "#", reason: "costly" });
    expect(rules.judge(`${"a".repeat(5_000)}.`)).toMatchObject({
      action: "block",
      reasons: expect.arrayContaining([expect.stringContaining("costly")]),
    });
  });
});
