import { describe, expect, it } from "vitest";
import { stem } from "../../src/text/stemmer.js";

/** A sample of the published vocabulary of the Snowball English stemmer. */
const SAMPLE = `
  consign consign | consigned consign | consigning consign | consistency consist | consolation consol | knackeries knackeri
  knave knave | kneaded knead | knightly knight | generously generous | generate generat | general general
  communication communic | university universiti | internal internal | caresses caress | ponies poni | ties tie | cries cri
  gas gas | this this | hopping hop | hoping hope | luxuriated luxuri | falling fall | egged egg | adding add
  dying die | skies sky | news news | happily happili | happy happi | enjoy enjoy | by by | say say
  relational relat | conditional condit | radically radic | hopefulness hope | goodness good | formalize formal
  adjustment adjust | replacement replac | adoption adopt | controlling control | roll roll | rate rate | cease ceas
  proceed proceed | inning inning | skis ski | yellow yellow | youth youth | biologist biolog | apology apolog
`;

describe("the Porter2 stemmer", () => {
  const pairs = SAMPLE.trim()
    .split(/[|\n]/)
    .map((pair) => pair.trim().split(/\s+/));
  it.each(pairs)("%s → %s", (word, expected) => {
    expect(stem(word ?? "")).toBe(expected);
  });

  it("leaves what isn't a lower-case English word alone", () => {
    for (const word of ["", "a", "is", "naïve", "東京", "v1.2", "2023"]) expect(stem(word)).toBe(word);
  });
});
