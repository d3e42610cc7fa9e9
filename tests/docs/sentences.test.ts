/** What a reader holds together: no sentence of a page has more than 30 words. */
import { expect, it } from "vitest";
import { readPages } from "./pages.js";
import { longSentences, mostWords } from "./sentences.js";

const pages = readPages().filter(({ path }) => /^(README\.md|docs\/(?!decisions\/).*)$/.test(path));

it.each(pages.map(({ path, text }) => [path, text] as const))(
  `%s has sentences of at most ${mostWords} words`,
  (_, text) => {
    expect(longSentences(text)).toEqual([]);
  },
);

it("finds a sentence of more words, and counts what is code as one", () => {
  const words = Array.from({ length: mostWords }, () => "word").join(" ");
  expect(longSentences(`A ${words}.`)).toEqual([`A ${words}.`]);
  expect(longSentences(`${words}. \`${words}\`. Short.`)).toEqual([]);
});
