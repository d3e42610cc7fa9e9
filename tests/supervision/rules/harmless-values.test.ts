/** Personal data and secrets in harmless texts: at most 2 of 1,000 of each kind are taken for either. */
import { describe, expect, it } from "vitest";
import { personalDataKinds } from "../../../src/supervision/rules/personal-data.js";
import { kindOf, kinds, textsOf } from "../../support/corpus/corpus.js";
import { finds } from "./support.js";

/** Another seed than those that the rules were mended with. */
const seed = 60_311;

describe.each(kinds)("1,000 texts of the kind %s", (kind) => {
  const texts = textsOf(kind, 1_000, seed);
  const falseAlarms = (match: Parameters<typeof finds>[0]) =>
    texts.flatMap((text) => {
      const found = finds(match, text);
      return found.length === 0 ? [] : [`${found.join(" · ")} in ${text.slice(0, 300)}`];
    });

  it("hold no secrets", () => {
    const found = falseAlarms({ type: "secrets" });
    expect(found.length, found.join("\n")).toBeLessThanOrEqual(2);
  });

  it("hold no personal data but what they truly hold", () => {
    const wanted = personalDataKinds.filter((each) => kindOf(kind).holds?.includes(each) !== true);
    const found = falseAlarms({ type: "personalData", kinds: wanted });
    expect(found.length, found.join("\n")).toBeLessThanOrEqual(2);
  });
});
