// `npm run deploy -- --env <name>`: everything from an empty account to a supervised answer, the same again for each later version, and the way back. Without a
// name nothing is sent: the top level of wrangler.toml is the local environment, which lets the Worker call addresses on the loopback.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { setTimeout as wait } from "node:timers/promises";
import { deploy } from "./deploy/deploy.js";
import { Refusal, readOptions } from "./deploy/options.js";
import type { Ports } from "./deploy/ports.js";
import { readReleases } from "./deploy/releases.js";
import { environmentsOf, readTarget } from "./deploy/target.js";
import { deployCanary, rollBack } from "./deploy/traffic.js";
import { wrangler } from "./deploy/wrangler.js";

const ports: Ports = {
  fetch,
  wrangler,
  ask: async (question) => {
    if (!process.stdin.isTTY) return undefined;
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    return terminal.question(question).finally(() => terminal.close());
  },
  print: (line) => console.log(line),
  wait: (milliseconds) => wait(milliseconds).then(() => undefined),
  environment: process.env,
  folder: process.env.CONCLAVE_DEPLOY_FOLDER ?? ".",
};

try {
  const options = readOptions(process.argv.slice(2), environmentsOf(readFileSync("wrangler.toml", "utf8")));
  const target = await readTarget(options.environment);
  if (options.rollback !== undefined) await rollBack(target, options, readReleases(), ports);
  else if (options.canary !== undefined) await deployCanary(target, options, readReleases(), ports);
  else await deploy(target, options, Date.now(), ports);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`Not deployed: ${error.message}`);
  process.exitCode = 1;
}
