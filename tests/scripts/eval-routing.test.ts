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
const good = '[{"text": "My invoice.", "worker": "billing"}]';

describe("npm run eval:routing", () => {
  it.each<[string, () => string[], string]>([
    ["a file that isn't there", () => ["--data", join(folder, "none.json")], "can't be read as JSON: ENOENT"],
    ["a file that is no JSON", () => ["--data", fileOf("{")], "can't be read as JSON"],
    ["a file without items", () => ["--data", fileOf("{}")], "holds no items. It has to be a list of {text, worker}"],
    ["an item without a worker", () => ["--data", fileOf('[{"text": "x"}]')], "item 1 isn't {"],
    [
      "an item whose worker isn't described",
      () => ["--data", fileOf('{"workers": [{"id": "a"}], "items": [{"text": "x", "worker": "b"}]}')],
      "items name b, and its workers are a.",
    ],
    ["a strategy that isn't one", () => ["--data", fileOf(good), "--strategies", "best"], "there is no strategy best"],
    ["no number of runs", () => ["--data", fileOf(good), "--parallel", "many"], "--parallel is a number from 1 to 50"],
    ["nobody to talk to", () => ["--data", fileOf(good)], "nothing answers at http://127.0.0.1:9."],
  ])("says what is wrong with %s, and fails", async (_what, args, message) => {
    const env = { CONCLAVE_URL: "http://127.0.0.1:9", CONCLAVE_KEY: "cnk_none" };
    const { code, said } = await runScript(process.execPath, ["scripts/eval-routing.mjs", ...args()], env);
    expect(said).toContain(`The evaluation stopped: `);
    expect(said).toContain(message);
    expect(code).toBe(1);
  });
});
