// `npm run check`: the inner loop. Types, lint, arrows and unused exports of everything, and the tests of the domain that what was changed
// since main reaches; `npm run check -- --all` runs all of the domain's.
import { spawnSync } from "node:child_process";
import { arrows, lint, quiet, reading, runAll, seconds, types, typesOfDomain, unused } from "./checks.mjs";

const started = Date.now();
const failures = await runAll([types, lint, typesOfDomain, unused, reading, arrows]);

const base = process.argv.includes("--all") ? undefined : lastShared();
if (base === undefined) test("all tests of the domain");
else {
  const changed = git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard");
  test("tests of the domain that what was changed reaches", "--changed", base, "--passWithNoTests");
  // No import says that a test reads a page.
  if (/\.md$/m.test(changed)) test("tests of the documentation", "tests/docs");
}

console.log(`\n${failures.length === 0 ? "all good" : `failed: ${failures.join("; ")}`}, ${seconds(started)} in all`);
process.exit(failures.length === 0 ? 0 : 1);

function test(what, ...args) {
  const begun = Date.now();
  const { status } = spawnSync("vitest", ["run", "--project", "domain", ...args], {
    stdio: "inherit",
    env: { ...process.env, ...quiet },
  });
  console.log(`== ${what}: ${status === 0 ? "good" : "FAILED"}, ${seconds(begun)}`);
  if (status !== 0) failures.push(what);
}

/** The last commit that main has too; nothing outside of a repository. */
function lastShared() {
  return ["origin/main", "main"].map((main) => git("merge-base", "HEAD", main).trim()).find((commit) => commit !== "");
}

function git(...args) {
  return spawnSync("git", args, { encoding: "utf8" }).stdout ?? "";
}
