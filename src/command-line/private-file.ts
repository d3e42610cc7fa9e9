/** Files that only whoever runs the command reads, and names that become files. */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Whole or not at all; one that was there and that others could read is replaced by one that they can't. */
export function writePrivately(path: string, text: string): void {
  const part = `${path}.part`;
  rmSync(part, { force: true });
  writeFileSync(part, text, { mode: 0o600 });
  renameSync(part, path);
}

/**
 * The path of a file that a deployment names.
 * @throws where the name isn't one of a file in that folder
 */
export function fileNamed(folder: string, name: string, form: string): string {
  if (/^[A-Za-z0-9_-]{1,100}$/.test(name)) return join(folder, `${name}.${form}`);
  throw new Error(
    `the deployment answered the name ${JSON.stringify(name)}, which no file in ${folder} can have: is its address right?`,
  );
}
