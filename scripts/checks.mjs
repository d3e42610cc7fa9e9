/** Checks of the code that `npm test` and `npm run check` have in common, and how several are run at once. */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

export const quiet = { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" };

/** What is checked, the command and its arguments. What was found out before is kept in `node_modules/.cache`. */
export const types = ["types", "tsc", incremental("all")];
export const typesOfDomain = [
  "types of the domain, without a platform",
  "tsc",
  [...incremental("domain"), "-p", "tsconfig.domain.json"],
];
export const lint = ["format, lint and circles between files", "biome", ["check", "--error-on-warnings", "."]];
export const unused = ["unused files, exports and dependencies", "knip", ["--no-progress", "--cache"]];
export const reading = ["texts and JSON of others are read within bounds", "tsx", ["scripts/check-reading.ts"]];
export const arrows = ["arrows between folders", "node", ["scripts/arrows.ts"]];

function incremental(name) {
  return ["--noEmit", "--incremental", "--tsBuildInfoFile", `node_modules/.cache/types/${name}.tsbuildinfo`];
}

/** Runs as many at once as there are cores, in the order given; the result names those that failed. */
export async function runAll(checks) {
  const left = [...checks];
  const failures = [];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      if (!(await passes(...next))) failures.push(next[0]);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return failures;
}

/** Prints what it said when it has ended, so that two at once stay readable. */
async function passes(what, command, args) {
  const started = Date.now();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...quiet } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  const status = await new Promise((resolve) => child.once("error", resolve).once("close", resolve));
  console.log(`\n== ${what}: ${status === 0 ? "good" : "FAILED"}, ${seconds(started)}\n${said}`);
  return status === 0;
}

export function seconds(started) {
  return `${((Date.now() - started) / 1_000).toFixed(1)} s`;
}
