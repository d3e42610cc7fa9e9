/** What a reader holds together: sentences of at most 30 words, but for those that are counted here, page by page. */
import { expect, it } from "vitest";
import { readPages } from "./pages.js";
import { longSentences, mostWords } from "./sentences.js";

/** How many longer ones a page has. A number only falls: whoever shortens some writes the new one; a page that isn't here has none. */
const longer: Readonly<Record<string, number>> = {
  "README.md": 2,
  "docs/channels.md": 9,
  "docs/client.md": 4,
  "docs/command-line.md": 3,
  "docs/console.md": 11,
  "docs/deployment.md": 9,
  "docs/errors.md": 1,
  "docs/evidence.md": 7,
  "docs/limits.md": 1,
  "docs/memory.md": 3,
  "docs/models.md": 3,
  "docs/openai.md": 5,
  "docs/personal-data.md": 10,
  "docs/roundtables.md": 7,
  "docs/routing.md": 3,
  "docs/security.md": 3,
  "docs/sessions.md": 4,
  "docs/supervision.md": 14,
  "docs/tools.md": 1,
  "docs/tour.md": 2,
  "docs/webhooks.md": 1,
};

const pages = readPages().filter(({ path }) => /^(README\.md|docs\/(?!decisions\/).*)$/.test(path));

it.each(pages.map((page) => [page.path, page] as const))(
  "%s has no more long sentences than it had",
  (path, { text }) => {
    const long = longSentences(text);
    const most = longer[path] ?? 0;
    const message = `sentences of more than ${mostWords} words, of which ${most} may be there:\n${long.join("\n\n")}`;
    expect(long.length, message).toBeLessThanOrEqual(most);
  },
);

it("counts no page that is gone", () => {
  const paths = pages.map(({ path }) => path);
  expect(Object.keys(longer).filter((path) => !paths.includes(path))).toEqual([]);
});
