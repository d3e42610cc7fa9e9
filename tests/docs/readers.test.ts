/** What readers ask is answered where readers.md says, and found from the site alone. */
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { excerptOf, findPassages, passagesOf, readSynonyms } from "../../src/http/site/search.js";
import { addressOf, firstPage, readSiteMap } from "../../src/http/site/site-map.js";
import { readPages, root } from "./pages.js";

const pages = new Map(readPages().map((page) => [page.path, page]));
const listed = readSiteMap(textOf(firstPage)).flatMap((section) => section.pages);
const passages = listed.flatMap((page) => passagesOf(page, textOf(page.path)));
const table = readFileSync(`${root}docs/site/synonyms.txt`, "utf8");
const synonyms = readSynonyms(table);
const readers = "tests/docs/readers.md";
const questions = [...textOf(readers).matchAll(/^\| (.+\?|.+\.) \| \[[^\]]+\]\(([^)]+)\) \| (.+) \|$/gm)].map(
  ([, question = "", target = "", words = ""]) => ({
    question,
    path: normalize(join(dirname(readers), target)),
    words,
  }),
);
/** Whoever reads more of what was found than this has given up. */
const mostRead = 3;

function textOf(path: string): string {
  return pages.get(path)?.text ?? "";
}

it("three people ask twenty questions each, and one who read the site for the first time twelve more", () => {
  expect(questions).toHaveLength(72);
});

describe("a reader who has only the site", () => {
  it.each(questions)("finds what answers: $question", ({ question, path, words }) => {
    expect(listed.map((page) => page.path)).toContain(path);
    expect(textOf(path)).toContain(words);
    const found = findPassages(passages, question, synonyms).slice(0, mostRead);
    expect(found.map(({ address }) => address.split("#")[0])).toContain(addressOf(path, ""));
  });
});

describe("the search", () => {
  const first = (query: string) => findPassages(passages, query, synonyms)[0]?.address ?? "";

  it.each([
    ["orchestrator", "/docs/routing"],
    ["GDPR", "/docs/jobs/forget-a-person"],
    ["jailbreak", "/docs/supervision#what-injection-finds"],
    ["PII masking", "/docs/supervision#personal-data"],
    ["throttling", "#4-limit-what-it-may-cost"],
    ["pricing", "/docs/deployment#money"],
    ["SSO", "/docs/console"],
    ["outage", "/docs/jobs/when-something-is-wrong"],
  ])("knows what others call it: %s", (query, address) => {
    expect(
      findPassages(passages, query, synonyms)
        .slice(0, mostRead)
        .map((passage) => passage.address)
        .join(" "),
    ).toContain(address);
    expect(findPassages(passages, query, new Map())[0]?.address).not.toBe(first(query));
  });

  it("has no line of synonyms that says nothing, and none twice", () => {
    const lines = table.trim().split("\n").slice(1);
    const asked = lines.flatMap((line) => (line.split(":")[0] ?? "").split(",").map((word) => word.trim()));
    expect(asked.filter((word, at) => asked.indexOf(word) !== at || !/^[\p{L}\d]+$/u.test(word))).toEqual([]);
    const said = [...synonyms.values()].flat();
    const text = passages.map(({ words }) => words.page + words.heading + words.text).join("");
    expect(said.filter((word) => !text.includes(word))).toEqual([]);
  });

  it("finds something where every word is a small one", () => {
    expect(first("is it down")).toContain("/docs/jobs/when-something-is-wrong");
    expect(first("who am I")).not.toBe("");
  });

  it("shows what was found as it is read, without the marks of Markdown", () => {
    const marks = questions.flatMap(({ question }) =>
      findPassages(passages, question, synonyms)
        .map((passage) => excerptOf(passage, question, synonyms))
        .filter((text) => /```|\]\(|\*\*|^[|#]|(?<!") \| /.test(text)),
    );
    expect(marks).toEqual([]);
  });
});
