// `npm run databases -- add --env <name>`: one database more for new tenants, made, migrated and bound by a deployment. `list` says which
// there are, `move --tenant ten_… --to 1` moves a tenant. docs/deployment.md, "More than one database".
import { readFileSync, writeFileSync } from "node:fs";
import { deploy } from "./deploy/deploy.js";
import { moveTenant } from "./deploy/move.js";
import { openAccount } from "./deploy/open-account.js";
import { Refusal, readOptions } from "./deploy/options.js";
import { processPorts } from "./deploy/process-ports.js";
import { bindingOf, environmentsOf, readTarget, withDatabase } from "./deploy/target.js";

const [command, ...args] = process.argv.slice(2);
const configuration = "wrangler.toml";

try {
  if (command !== "add" && command !== "list" && command !== "move")
    throw new Refusal(
      "say add, list or move: npm run databases -- add --env production (--jurisdiction eu, --dry-run, --yes).",
    );
  // Which database is of no other command.
  const at = command === "move" ? args.indexOf("--to") : -1;
  const [, to] = at < 0 ? [] : args.splice(at, 2);
  const toml = readFileSync(configuration, "utf8");
  const options = readOptions(args, environmentsOf(toml));
  const { environment } = options;
  const target = await readTarget(environment);
  if (command === "move") {
    if (!args.includes("--tenant") || !/^\d+$/.test(to ?? ""))
      throw new Refusal("say which tenant and where to: --tenant ten_… --to 1 (npm run databases -- list).");
    await moveTenant({ tenantId: options.tenant, to: Number(to) }, target, options, processPorts);
    process.exit();
  }
  const account = await openAccount(processPorts);
  const { databases, worker } = await account.look(target);
  if (command === "list") {
    for (const [number, name] of target.databases.entries()) {
      const found = databases[number];
      const said =
        found === undefined
          ? "not made yet"
          : `${found.tenants} tenants, ${found.migrations.length} migrations, ${found.jurisdiction ?? "no jurisdiction"}`;
      console.log(`${number}  ${name}  ${said}`);
    }
  } else {
    if (databases[0] === undefined)
      throw new Refusal(`${environment} isn't deployed yet: npm run deploy -- --env ${environment}.`);
    // One that was named, and isn't bound to what runs: this goes on with it, made or not.
    const running = worker?.deployments[0]?.versions[0]?.id;
    const bound = running === undefined ? [] : await account.databasesOf(target.worker, running);
    const open = target.databases.filter((_, number) => number > 0 && !bound.includes(bindingOf(number)));
    const added = open.length > 0 ? undefined : withDatabase(toml, environment);
    console.log(added === undefined ? `Going on with ${open.join(", ")}.` : `${configuration} gets ${added.name}.`);
    if (added !== undefined) writeFileSync(configuration, added.toml);
    try {
      await deploy(await readTarget(environment), options, Date.now(), processPorts);
    } catch (error) {
      // Refused before it was made: then nothing was added, in the configuration neither.
      if (added !== undefined && error instanceof Refusal) {
        const { databases: made } = await account.look(await readTarget(environment));
        if (made[target.databases.length] === undefined) writeFileSync(configuration, toml);
      }
      throw error;
    } finally {
      if (options.dryRun && added !== undefined) writeFileSync(configuration, toml);
    }
    if (!options.dryRun)
      console.log(`New tenants live there now, as long as it is the emptiest. Commit ${configuration}.`);
  }
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`${command === "move" ? "Not moved" : "Nothing was added"}: ${error.message}`);
  process.exitCode = 1;
}
