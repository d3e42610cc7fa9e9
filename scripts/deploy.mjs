// `npm run deploy -- --env <name>`: builds and deploys one environment. Without a name nothing is sent: the top level of wrangler.toml is
// the local environment, which lets the Worker call addresses on the loopback and has no real database.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const usage =
  "Say which environment: npm run deploy -- --env production (or staging). Add --dry-run to build it and send nothing.";
const args = process.argv.slice(2);
const name = environmentOf(args);
const isDryRun = args.includes("--dry-run");

const problem = problemWith(name);
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}
const { status } = spawnSync("wrangler", ["deploy", "--minify", ...args], { stdio: "inherit" });
process.exit(status ?? 1);

/** The environment that wrangler would take: the last `--env` or `-e` counts. */
function environmentOf(given) {
  return given.reduce((found, argument, at) => {
    if (argument === "--env" || argument === "-e") return given[at + 1];
    return /^(?:--env|-e)=(.*)$/.exec(argument)?.[1] ?? found;
  }, undefined);
}

/** Why this can't be deployed; nothing if it can. */
function problemWith(environment) {
  if (!environment) return `Nothing was deployed: no environment is named. ${usage}`;
  const config = readFileSync("wrangler.toml", "utf8");
  if (!config.includes(`[env.${environment}]`)) {
    const known = [...config.matchAll(/^\[env\.([A-Za-z0-9_-]+)\]$/gm)].map(([, one]) => one);
    return `Nothing was deployed: wrangler.toml has no environment "${environment}"; it has ${known.join(" and ")}. ${usage}`;
  }
  const unfilled = new RegExp(`fill-in-the-id-that-wrangler-d1-create-\\S*${environment}\\S*`).exec(config)?.[0];
  return unfilled === undefined || isDryRun
    ? undefined
    : `Nothing was deployed: put the id of the database into wrangler.toml first, in place of "${unfilled.replace(/"$/, "")}" (docs/deployment.md, step 3).`;
}
