// `npm test`: every check there is. The last line is the test runner's own count.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { gzipSync } from "node:zlib";

const quiet = { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" };
// Cloudflare takes 3 MiB on the free plan; each face has its share, MCP the largest.
const maxBundleKiB = 900;
const failures = [];

check("generated binding types are current", "wrangler", [
  "types",
  "--include-runtime=false",
  "--strict-vars=false",
  "--check",
]);
check("types", "tsc", ["--noEmit"]);
check("types of the tests of client libraries", "tsc", ["--noEmit", "-p", "tests/clients"]);
check("types of the domain, without a platform", "tsc", ["--noEmit", "-p", "tsconfig.domain.json"]);
check("format, lint and circles between files", "biome", ["check", "--error-on-warnings", "."]);
check("arrows between folders", "node", ["scripts/arrows.ts"]);
check("unused files, exports and dependencies", "knip", ["--no-progress"]);
check("the API's document, by two linters", "tsx", ["scripts/lint-document.ts"]);
check("bundle", "wrangler", ["deploy", "--dry-run", "--minify", "--outdir", "dist"]);
checkBundleSize();

const report = "dist/tests.json";
rmSync(report, { force: true });
check("tests", "vitest", ["run", "--reporter=default", "--reporter=json", `--outputFile=${report}`]);

const { numPassedTests, numFailedTests, numFailedTestSuites } = readReport();
if (failures.length > 0) console.error(`\nfailed: ${failures.join("; ")}`);
console.log(`${numPassedTests} passed, ${numFailedTests} failed`);
process.exit(failures.length > 0 || numFailedTests > 0 || numFailedTestSuites > 0 || numPassedTests === 0 ? 1 : 0);

function check(what, command, args) {
  console.log(`\n== ${what}`);
  const { status } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...quiet } });
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
