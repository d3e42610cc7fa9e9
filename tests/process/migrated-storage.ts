/** Local storage with empty, migrated databases: made once for a set of migrations, since a copy takes far less than applying them. */
import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { madeOnce } from "./made-once.js";

/** What it depends on: the migrations, the databases, and the wrangler whose files these are. */
const sources = ["migrations", "wrangler.toml", "node_modules/wrangler/package.json"];

/** Fills a folder with it, as `wrangler dev --persist-to` lays it out. */
export function migratedStorage(folder: string): void {
  const made = madeOnce("migrated", sources, (begun) => {
    const args = ["scripts/migrate-local.mjs", begun];
    const migrated = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (migrated.status !== 0) throw new Error(migrated.stdout + migrated.stderr);
  });
  cpSync(made, folder, { recursive: true });
}
