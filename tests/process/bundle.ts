/** The Worker as it is deployed, built once for all who serve it: a start from it takes a third of one that builds anew. */
import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { madeOnce } from "./made-once.js";

const sources = ["src", "durable-objects", "wrangler.toml", "package-lock.json"];

/** A folder with the bundle, and in `worker.json` what miniflare has to know to serve it (`serve-bundle.mjs`). */
export const builtBundle = (): string => madeOnce("bundle", sources, build);

function build(folder: string): void {
  const built = spawnSync("wrangler", ["deploy", "--dry-run", "--minify", "--outdir", folder], {
    encoding: "utf8",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
  if (built.status !== 0) throw new Error(built.stdout + built.stderr);
  const {
    modulesRules: _,
    rootPath: __,
    ...options
  } = unstable_getMiniflareWorkerOptions("wrangler.toml").workerOptions;
  // Prompts, and what the console sends to browsers.
  const texts = readdirSync(folder).filter((name) => /^[0-9a-f]{40}-/.test(name));
  const modules = [{ type: "ESModule", path: "index.js" }, ...texts.map((name) => ({ type: "Text", path: name }))];
  writeFileSync(join(folder, "worker.json"), JSON.stringify({ name: "conclave", ...options, modules }));
}
