import { describe, expect, it } from "vitest";
import { indexTerms, tokenize } from "../../src/text/tokenizer.js";
import { slowness } from "../support/growth.js";
import { everyScript } from "../support/scripts.js";

const terms = (text: string): string[] => indexTerms(text).split(" ");

describe("tokenizing", () => {
  it("joins the forms of a word, regular and irregular", () => {
    expect(indexTerms("painting painted paints")).toBe("paint paint paint");
    expect(indexTerms("taught teaches children child")).toBe("teach teach child child");
  });

  it("leaves function words and contractions out, and keeps acronyms that look like them", () => {
    expect(indexTerms("What did she do to it? I don't know, it's his.")).toBe("know");
    expect(indexTerms("Caroline's dog")).toBe("carolin dog");
    expect(terms("The US, not us")).toEqual(["us"]);
  });

  it("folds case, width and accents", () => {
    expect(indexTerms("ＣＡＦÉ Straße Łódź naïve")).toBe(indexTerms("cafe strasse lodz naive"));
    expect(indexTerms("e\u0301tude")).toBe(indexTerms("étude"));
  });

  it("gives the parts and the whole of identifiers and paths", () => {
    expect(terms("fooBar")).toEqual(["foo", "bar", "foobar"]);
    expect(terms("foo_bar")).toEqual(terms("foo-bar"));
    expect(terms("HTTPServer")).toEqual(["http", "server", "httpserver"]);
    expect(terms("src/billing/invoiceQueue.ts")).toEqual(
      expect.arrayContaining(["src", "bill", "invoic", "queue", "ts"]),
    );
    expect(terms("C++ and C#")).toEqual(["c++", "c#"]);
  });

  it("keeps numbers, versions and ISO dates whole", () => {
    expect(terms("v4.2.0")).toEqual(["4.2.0"]);
    expect(terms("1,450 euros")).toEqual(["1450", "euro"]);
    expect(terms("3.14 on 2023-05-07")).toEqual(["3.14", "2023-05-07"]);
    expect(terms("five kids on the 3rd")).toEqual(["5", "kid", "3"]);
  });

  it("cuts scripts without spaces into pairs", () => {
    expect(terms("東京都")).toEqual(["東京", "京都"]);
    expect(terms("React入門")).toEqual(["入門", "react"]);
    expect(terms("猫")).toEqual(["猫"]);
    expect(tokenize("สวัสดี").length).toBeGreaterThan(1);
  });

  it("remembers the word that a term comes from", () => {
    expect(tokenize("Observatories")).toEqual([{ term: "observatori", surface: "Observatories" }]);
  });

  it("gives nothing for nothing, and bounds what a blob gives", () => {
    expect(tokenize("")).toEqual([]);
    expect(tokenize("?! … — 🎉")).toEqual([]);
    for (const { term } of tokenize("x".repeat(10_000))) expect(term.length).toBeLessThanOrEqual(48);
    expect(tokenize("ab/".repeat(2_000)).length).toBeLessThan(20);
  });

  it("never gives a term that could be taken for a mark", () => {
    for (const { term } of tokenize("@anna role:user tag:x=y on:2023-05-07 a@b.c is:question")) {
      expect(term).not.toMatch(/[:@\s]/);
    }
  });
});

describe("any text", () => {
  it.each(everyScript)("of %s is cut in time that grows with its length, and no faster", (_name, sample) => {
    expect(slowness(tokenize, ["", sample, ""])).toBeUndefined();
  });
});
