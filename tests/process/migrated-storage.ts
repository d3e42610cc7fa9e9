/** Storage of a local Worker with all tables in it. Applying the migrations takes seconds, so it is done once and copied from then on. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Ignored by git, and by everything else here. */
const templates = join(".wrangler", "migrated");

/** A new folder for one Worker, which removes it. @param env of the command that applies the migrations */
export function newStorage(env: NodeJS.ProcessEnv): string {
  const storage = mkdtempSync(join(tmpdir(), "conclave-storage-"));
  cpSync(templateFor(env), storage, { recursive: true });
  return storage;
}

function templateFor(env: NodeJS.ProcessEnv): string {
  const template = join(templates, digest());
  if (existsSync(template)) return template;
  mkdirSync(templates, { recursive: true });
  const own = mkdtempSync(join(templates, "making-"));
  const args = ["d1", "migrations", "apply", "conclave", "--local", "--persist-to", own];
  const migrated = spawnSync("wrangler", args, { encoding: "utf8", env });
  if (migrated.status !== 0) throw new Error(migrated.stdout + migrated.stderr);
  try {
    renameSync(own, template);
  } catch (error) {
    // Another process was first.
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
  return template;
}

/** Of all that decides what the storage holds. */
function digest(): string {
  const hash = createHash("sha256");
  for (const name of readdirSync("migrations").sort()) hash.update(name).update(readFileSync(join("migrations", name)));
  for (const file of ["wrangler.toml", "node_modules/wrangler/package.json"]) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 20);
}
