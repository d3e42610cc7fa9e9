// `npm test`: every check there is. The last line is the test runner's own count.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { arrows, lint, quiet, reading, runAll, types, typesOfDomain, unused } from "./checks.mjs";

// Of all that is uploaded, gzipped; Cloudflare takes 3 MiB on the free plan. Words in many languages have the largest share, then MCP.
const maxUploadKiB = 1_150;

// What was built before is no part of the upload.
rmSync("dist", { recursive: true, force: true });

// The longest first: as many at once as there are cores.
const failures = await runAll([
  types,
  ["the API's document, by two linters", "tsx", ["scripts/lint-document.ts"]],
  typesOfDomain,
  lint,
  unused,
  ["bundle", "wrangler", ["deploy", "--dry-run", "--minify", "--outdir", "dist"]],
  ["start-up", "node", ["scripts/startup-budget.mjs"]],
  [
    "generated binding types are current",
    "wrangler",
    ["types", "--include-runtime=false", "--strict-vars=false", "--check"],
  ],
  ["types of the tests of client libraries", "tsc", ["--noEmit", "-p", "tests/clients"]],
  reading,
  arrows,
]);
checkUploadSize();

const report = "dist/tests.json";
const vitest = ["run", "--reporter=default", "--reporter=json", `--outputFile=${report}`];
const tests = spawnSync("vitest", vitest, { stdio: "inherit", env: { ...process.env, ...quiet } });
if (tests.status !== 0) failures.push("tests");

const { numPassedTests, numFailedTests, numFailedTestSuites } = readReport();
if (failures.length > 0) console.error(`\nfailed: ${failures.join("; ")}`);
console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
process.exit(failures.length > 0 || numFailedTests > 0 || numFailedTestSuites > 0 || numPassedTests === 0 ? 1 : 0);

function checkUploadSize() {
  const modules = readdirSync("dist").filter((name) => /\.(?:js|md|txt|css)$/.test(name) && name !== "README.md");
  const kib = modules.reduce((sum, name) => sum + gzipSync(readFileSync(`dist/${name}`)).length, 0) / 1024;
  console.log(`upload: ${kib.toFixed(0)} KiB gzipped, of at most ${maxUploadKiB}`);
  if (modules.length === 0 || kib > maxUploadKiB) failures.push("size of the upload");
}

function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 1 };
  }
}
