/** Local storage with empty, migrated databases: made once for a set of migrations, since applying them takes far longer than a copy. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const cache = "node_modules/.cache/conclave";

/** Fills a folder with it, for `wrangler dev --persist-to`. */
export function migratedStorage(folder: string, env: Readonly<Record<string, string>>): void {
  const made = join(cache, `migrated-${digest()}`);
  if (!existsSync(made)) make(made, env);
  cpSync(made, folder, { recursive: true });
}

/** What it depends on: the migrations, and the wrangler whose files these are. */
function digest(): string {
  const hash = createHash("sha256").update(readFileSync("node_modules/wrangler/package.json"));
  hash.update(readFileSync("wrangler.toml"));
  for (const name of readdirSync("migrations").sort()) hash.update(name).update(readFileSync(join("migrations", name)));
  return hash.digest("hex").slice(0, 16);
}

/** Under another name first: two test files may make it at once, and one that was cut short mustn't be taken for whole. */
function make(made: string, env: Readonly<Record<string, string>>): void {
  mkdirSync(cache, { recursive: true });
  const begun = mkdtempSync(join(cache, "migrating-"));
  for (const database of ["conclave", "conclave-01"]) {
    const args = ["d1", "migrations", "apply", database, "--local", "--persist-to", begun];
    const migrated = spawnSync("wrangler", args, { encoding: "utf8", env: { ...process.env, ...env } });
    if (migrated.status !== 0) throw new Error(migrated.stdout + migrated.stderr);
  }
  try {
    renameSync(begun, made);
  } catch (error) {
    if (!existsSync(made)) throw error;
    rmSync(begun, { recursive: true, force: true });
  }
}
