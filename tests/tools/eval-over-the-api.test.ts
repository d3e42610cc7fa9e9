/** What the evaluations over the API say when they can't begin. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runScript } from "../process/run-script.js";

const folder = mkdtempSync(join(tmpdir(), "conclave-eval-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string): string {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(file, text);
  return file;
}

type Case = readonly [what: string, args: () => string[], message: string];

const missing = () => ["--data", join(folder, "none.json")];
const question = '{"question": "1 + 1?", "choices": ["1", "2"], "answer": "B"}';
const debate = (...more: string[]) => ["--data", fileOf(`[${question}]`), ...more];
const routing = (...more: string[]) => ["--data", fileOf('[{"text": "My invoice.", "worker": "billing"}]'), ...more];

describe.each<[string, readonly Case[]]>([
  [
    "debate",
    [
      ["a file that isn't there", missing, "can't be read: ENOENT"],
      ["a file that is no JSON", () => ["--data", fileOf("{")], "can't be read as JSON, nor as a JSON object a line"],
      ["a file without questions", () => ["--data", fileOf("[]")], "holds no questions"],
      [
        "a question without choices",
        () => ["--data", fileOf('[{"question": "1 + 1?"}]')],
        'item 1 isn\'t {"question": ',
      ],
      [
        "an answer that is no choice, a question a line",
        () => ["--data", fileOf(`${question}\n${question.replace("B", "C")}`)],
        "item 2 isn't",
      ],
      ["eleven seats", () => debate("--seats", "11"), "--seats is a number from 2 to 10"],
      ["models for other seats", () => debate("--seats", "3", "--models", "a,b"), "2 models for 3 seats"],
      ["no number of rounds", () => debate("--rounds", "0"), "--rounds is a number from 1 to 20"],
      ["nobody to talk to", () => debate(), "nothing answers at http://127.0.0.1:9."],
    ],
  ],
  [
    "routing",
    [
      ["a file that isn't there", missing, "can't be read: ENOENT"],
      ["a file without items", () => ["--data", fileOf("{}")], "holds no items. It has to be a list of {text, worker}"],
      ["an item without a worker", () => ["--data", fileOf('[{"text": "x"}]')], "item 1 isn't {"],
      [
        "an item whose worker isn't described",
        () => ["--data", fileOf('{"workers": [{"id": "a"}], "items": [{"text": "x", "worker": "b"}]}')],
        "items name b, and its workers are a.",
      ],
      ["a strategy that isn't one", () => routing("--strategies", "best"), "there is no strategy best"],
      ["no number of runs", () => routing("--parallel", "many"), "--parallel is a number from 1 to 50"],
      ["nobody to talk to", () => routing(), "nothing answers at http://127.0.0.1:9."],
    ],
  ],
])("npm run eval:%s", (script, cases) => {
  it.concurrent.each(cases)("says what is wrong with %s, and fails", async (_what, args, message) => {
    const env = { CONCLAVE_URL: "http://127.0.0.1:9", CONCLAVE_KEY: "cnk_none" };
    const { code, said } = await runScript(process.execPath, [`tools/eval-${script}.mjs`, ...args()], env);
    expect(said).toContain("The evaluation stopped: ");
    expect(said).toContain(message);
    expect(code).toBe(1);
  });
});
