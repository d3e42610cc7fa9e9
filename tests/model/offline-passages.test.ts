import { describe, expect, it } from "vitest";
import { passages } from "../../src/model/providers/offline/passages.js";
import { offlineModel } from "../../src/model/providers/offline.js";
import { ask } from "./harness.js";

const page = `# Sessions

A session is one conversation. It lives in an object of its own, which holds its messages and
its turns.

\`\`\`sh
curl http://127.0.0.1/queue
\`\`\`

## Queueing

One turn runs at a time. Up to **32** further messages wait, see [errors](errors.md#queue_full).
Beyond that:

| code | what it means |
|---|---|
| \`queue_full\` | too many wait; send it again later |

- come back
- or give up

### Statuses

429. It was not taken.
`;

const texts = (text: string) => passages(text).map((passage) => passage.text);
const answer = async (question: string) =>
  (await offlineModel().attempt("", ask(`<reference name="Page">\n${page}</reference>\n${question}`), {})).text;

describe("passages of Markdown", () => {
  it("puts wrapped lines together, and keeps lines of their own apart", () => {
    expect(texts(page)).toEqual([
      "A session is one conversation.",
      "It lives in an object of its own, which holds its messages and its turns.",
      "One turn runs at a time.",
      "Up to 32 further messages wait, see errors.",
      "Beyond that:",
      "code: what it means",
      "`queue_full`: too many wait; send it again later",
      "come back",
      "or give up",
      "429. It was not taken.",
    ]);
  });

  it("knows the headings that a passage stands under", () => {
    const found = passages(page).find(({ text }) => text.startsWith("429"));
    expect(found?.heading).toBe("Sessions Queueing Statuses");
  });

  it("leaves short lines as they are: they may be no prose", () => {
    expect(texts("Name: Ada\nCity: London")).toEqual(["Name: Ada", "City: London"]);
  });
});

describe("the offline model's answers from Markdown", () => {
  it("quotes a whole sentence that was wrapped", async () => {
    expect(await answer("Which object holds the messages?")).toBe(
      'According to "Page": It lives in an object of its own, which holds its messages and its turns.',
    );
  });

  it("quotes a row with what it is about, and no heading, code or rule of a table", async () => {
    expect(await answer("What does queue_full mean?")).toBe(
      'According to "Page": `queue_full`: too many wait; send it again later',
    );
  });

  it("prefers the row that is about what was asked, and sets rows apart", async () => {
    const table =
      "| name | needs |\n|---|---|\n| `large` | a key, for `small` too |\n| `small` | a key of its own, kept in the vault |";
    const { text } = await offlineModel().attempt(
      "",
      ask(`<reference name="Models">\n${table}\n</reference>\nWhat key does small need?`),
      {},
    );
    expect(text).toBe(
      'According to "Models": `large`: a key, for `small` too; `small`: a key of its own, kept in the vault',
    );
  });

  it("finds a sentence by its heading", async () => {
    expect(await answer("What do the statuses say was taken?")).toBe('According to "Page": 429. It was not taken.');
  });
});
