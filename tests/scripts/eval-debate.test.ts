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
const good = '[{"question": "1 + 1?", "choices": ["1", "2"], "answer": "B"}]';

describe("npm run eval:debate", () => {
  it.each<[string, () => string[], string]>([
    ["a file that isn't there", () => ["--data", join(folder, "none.json")], "can't be read: ENOENT"],
    ["a file that is no JSON", () => ["--data", fileOf("{")], "can't be read as JSON, nor as a JSON object a line"],
    ["a file without questions", () => ["--data", fileOf("[]")], "holds no questions"],
    ["a question without choices", () => ["--data", fileOf('[{"question": "1 + 1?"}]')], 'item 1 isn\'t {"question": '],
    [
      "an answer that is no choice",
      () => ["--data", fileOf('{"question": "1 + 1?", "choices": ["1", "2"], "answer": "C"}')],
      "item 1 isn't",
    ],
    ["eleven seats", () => ["--data", fileOf(good), "--seats", "11"], "--seats is a number from 2 to 10"],
    [
      "models for other seats",
      () => ["--data", fileOf(good), "--seats", "3", "--models", "a,b"],
      "2 models for 3 seats",
    ],
    ["no number of rounds", () => ["--data", fileOf(good), "--rounds", "0"], "--rounds is a number from 1 to 20"],
    ["nobody to talk to", () => ["--data", fileOf(good)], "nothing answers at http://127.0.0.1:9."],
  ])("says what is wrong with %s, and fails", async (_what, args, message) => {
    const env = { CONCLAVE_URL: "http://127.0.0.1:9", CONCLAVE_KEY: "cnk_none" };
    const { code, said } = await runScript(process.execPath, ["scripts/eval-debate.mjs", ...args()], env);
    expect(said).toContain("The evaluation stopped: ");
    expect(said).toContain(message);
    expect(code).toBe(1);
  });
});
