// What the Worker does before anybody comes, counted in the built bundle: the same on every machine. `npm test` fails beyond the budget.
// `node scripts/startup-budget.mjs --by-module` lists where it comes from.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** What there may be of each in the bundle, which is not minified here: modules keep their names. */
const budget = { schemas: 4_000, patterns: 20, modules: 910 };

const bundle = "dist/startup/index.js";
const built = spawnSync("wrangler", ["deploy", "--dry-run", "--outdir", "dist/startup"], { encoding: "utf8" });
if (built.status !== 0) throw new Error(`the Worker can't be built: ${built.stdout}${built.stderr}`);
const counted = "dist/startup/counted.mjs";
const started = await evaluate();
if (process.argv.includes("--by-module")) {
  for (const [name, count] of [...started.byModule].sort((a, b) => b[1] - a[1]).slice(0, 60)) {
    console.log(`${String(count).padStart(6)} ${name}`);
  }
}
const over = Object.entries(budget).filter(([what, most]) => started[what] > most);
for (const [what, most] of Object.entries(budget))
  console.log(`${what} at start-up: ${started[what]}, of at most ${most}`);
for (const [what] of over)
  console.error(`too many ${what} at start-up: make them when they are first needed (src/text/lazily.ts, import())`);
process.exit(over.length > 0 ? 1 : 0);

/** Runs the bundle's top level in this process, with counters in zod, in the compiler of patterns, and at each module's beginning. */
async function evaluate() {
  const seen = { schemas: 0, patterns: 0, modules: 0, byModule: new Map() };
  const running = ["the bundle itself"];
  globalThis.startup = {
    schema() {
      seen.schemas++;
      const name = running.at(-1);
      seen.byModule.set(name, (seen.byModule.get(name) ?? 0) + 1);
    },
    pattern: () => seen.patterns++,
    enter(name) {
      seen.modules++;
      running.push(name);
    },
    leave: () => running.pop(),
    /** A module that isn't put off begins where its comment stands, and ends where the next one's does. */
    begin(name) {
      seen.modules++;
      running.splice(1, running.length, name);
    },
    platform: () => ({
      DurableObject: class {},
      WorkerEntrypoint: class {},
      RpcTarget: class {},
      env: {},
      exports: {},
    }),
  };
  const source = readFileSync(bundle, "utf8");
  writeFileSync(counted, counting(source));
  await import(pathToFileURL(counted).href);
  rmSync(counted);
  // What is put off has a comment too, whether it was evaluated or not.
  seen.modules -= source.split("__esm({").length - 1;
  return seen;
}

function counting(source) {
  return [
    [/(\$constructor\("\$ZodType", \(inst, def\) => \{)/, "$1 startup.schema();"],
    [/(static compile\(regex\w*, flags\w* = 0\) \{)/, "$1 startup.pattern();"],
    [
      /var __esm = [\s\S]*?\n\};\n/,
      `var __esm = (fn, res) => function __init() {
  if (fn) {
    const [name] = Object.getOwnPropertyNames(fn);
    const run = fn[name];
    fn = 0;
    startup.enter(name);
    res = run();
    startup.leave();
  }
  return res;
};
`,
    ],
    [/^\/\/ ((?:src|durable-objects|node_modules)\/.*)$/gm, 'startup.begin("$1");'],
    [/^import (\w+) from "\.\/[^"]*\.(?:md|css|js)";$/gm, 'const $1 = "";'],
    [
      /^import \{([^}]*)\} from "cloudflare:\w+";$/gm,
      (_, names) => `const {${names.replaceAll(" as ", ":")}} = startup.platform();`,
    ],
  ].reduce((text, [from, to]) => {
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`the bundle has nothing like ${from}: what counts it has to change with it`);
    return changed;
  }, source);
}
