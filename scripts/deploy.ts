// `npm run deploy -- --env <name>`: everything from an empty account to a supervised answer, the same again for each later version, and the way back. Without a
// name nothing is sent: the top level of wrangler.toml is the local environment, which lets the Worker call addresses on the loopback.
import { readFileSync } from "node:fs";
import { deploy } from "./deploy/deploy.js";
import { Refusal, readOptions } from "./deploy/options.js";
import { processPorts } from "./deploy/process-ports.js";
import { readReleases } from "./deploy/releases.js";
import { environmentsOf, readTarget } from "./deploy/target.js";
import { deployCanary, rollBack } from "./deploy/traffic.js";

try {
  const options = readOptions(process.argv.slice(2), environmentsOf(readFileSync("wrangler.toml", "utf8")));
  const target = await readTarget(options.environment);
  if (options.rollback !== undefined) await rollBack(target, options, readReleases(), processPorts);
  else if (options.canary !== undefined) await deployCanary(target, options, readReleases(), processPorts);
  else await deploy(target, options, Date.now(), processPorts);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`Not deployed: ${error.message}`);
  process.exitCode = 1;
}
