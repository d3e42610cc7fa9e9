/** What readers ask is answered where readers.md says, and found from the site alone. */
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { findPassages, passagesOf } from "../../src/http/site/search.js";
import { addressOf, firstPage, readSiteMap } from "../../src/http/site/site-map.js";
import { readPages } from "./pages.js";

const pages = new Map(readPages().map((page) => [page.path, page]));
const listed = readSiteMap(textOf(firstPage)).flatMap((section) => section.pages);
const passages = listed.flatMap((page) => passagesOf(page, textOf(page.path)));
const readers = "tests/docs/readers.md";
const questions = [...textOf(readers).matchAll(/^\| (.+\?|.+\.) \| \[[^\]]+\]\(([^)]+)\) \| (.+) \|$/gm)].map(
  ([, question = "", target = "", words = ""]) => ({
    question,
    path: normalize(join(dirname(readers), target)),
    words,
  }),
);
/** Whoever reads more of what was found than this has given up. */
const mostRead = 5;

function textOf(path: string): string {
  return pages.get(path)?.text ?? "";
}

it("three people ask ten questions each", () => {
  expect(questions).toHaveLength(30);
});

describe("a reader who has only the site", () => {
  it.each(questions)("finds what answers: $question", ({ question, path, words }) => {
    expect(listed.map((page) => page.path)).toContain(path);
    expect(textOf(path)).toContain(words);
    const found = findPassages(passages, question).slice(0, mostRead);
    expect(found.map(({ address }) => address.split("#")[0])).toContain(addressOf(path, ""));
  });
});
