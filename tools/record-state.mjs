// Records what a version stores, for tests that start from it: node tools/record-state.mjs <commit> <file>
// e.g. node tools/record-state.mjs 8acf45e tests/fixtures/state-8acf45e.json; one of each release is kept, with keys and calls under way
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [commit, file] = process.argv.slice(2);
if (commit === undefined || file === undefined) {
  console.error("usage: node tools/record-state.mjs <commit> <file>");
  process.exit(2);
}
const root = join(import.meta.dirname, "..");
const tree = join(mkdtempSync(join(tmpdir(), "record-state-")), "tree");
const git = (...args) => execFileSync("git", args, { cwd: root, stdio: "inherit" });

git("worktree", "add", "--detach", tree, commit);
try {
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  const program = "tests/support/record-state.ts";
  const test = program.replace(".ts", ".test.ts");
  copyFileSync(join(root, program), join(tree, test));
  const output = execFileSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--project", "runtime", "--silent=false", test],
    { cwd: tree, encoding: "utf8", maxBuffer: 100_000_000 },
  );
  const recording = /RECORDING (\{.*\}) END/.exec(output)?.[1];
  if (recording === undefined) throw new Error(`no recording in:\n${output}`);
  writeFileSync(join(root, file), `${JSON.stringify(JSON.parse(recording), undefined, 1)}\n`);
} finally {
  git("worktree", "remove", "--force", tree);
}
