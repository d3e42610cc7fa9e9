// `npm test`: every check there is. The last line is the test runner's own count.
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { gzipSync } from "node:zlib";

const quiet = { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" };
// Cloudflare takes 3 MiB on the free plan; each face has its share, MCP the largest.
const maxBundleKiB = 1_000;
const failures = [];

// The longest first: as many at once as there are cores.
await checkAll([
  ["types", "tsc", ["--noEmit"]],
  ["the API's document, by two linters", "tsx", ["scripts/lint-document.ts"]],
  ["types of the domain, without a platform", "tsc", ["--noEmit", "-p", "tsconfig.domain.json"]],
  ["format, lint and circles between files", "biome", ["check", "--error-on-warnings", "."]],
  ["unused files, exports and dependencies", "knip", ["--no-progress"]],
  ["bundle", "wrangler", ["deploy", "--dry-run", "--minify", "--outdir", "dist"]],
  ["start-up", "node", ["scripts/startup-budget.mjs"]],
  [
    "generated binding types are current",
    "wrangler",
    ["types", "--include-runtime=false", "--strict-vars=false", "--check"],
  ],
  ["types of the tests of client libraries", "tsc", ["--noEmit", "-p", "tests/clients"]],
  ["texts and JSON of others are read within bounds", "tsx", ["scripts/check-reading.ts"]],
  ["arrows between folders", "node", ["scripts/arrows.ts"]],
]);
checkBundleSize();

const report = "dist/tests.json";
rmSync(report, { force: true });
const vitest = ["run", "--reporter=default", "--reporter=json", `--outputFile=${report}`];
const tests = spawnSync("vitest", vitest, { stdio: "inherit", env: { ...process.env, ...quiet } });
if (tests.status !== 0) failures.push("tests");

const { numPassedTests, numFailedTests, numFailedTestSuites } = readReport();
if (failures.length > 0) console.error(`\nfailed: ${failures.join("; ")}`);
console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
process.exit(failures.length > 0 || numFailedTests > 0 || numFailedTestSuites > 0 || numPassedTests === 0 ? 1 : 0);

async function checkAll(checks) {
  const left = [...checks];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await check(...next);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/** Prints what it said when it has ended, so that two at once stay readable. */
async function check(what, command, args) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...quiet } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const status = await new Promise((resolve) => child.once("error", resolve).once("close", resolve));
  console.log(`\n== ${what}\n${said}`);
  if (status !== 0) failures.push(what);
}

function checkBundleSize() {
  const scripts = readdirSync("dist").filter((name) => name.endsWith(".js"));
  const kib = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(`dist/${name}`)).length, 0) / 1024;
  console.log(`bundle: ${kib.toFixed(0)} KiB gzipped, of at most ${maxBundleKiB}`);
  if (scripts.length === 0 || kib > maxBundleKiB) failures.push("bundle size");
}

function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 1 };
  }
}
