/** Folders that take long to make, kept under what they are made of: test files, and the runs after this one, find them made. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const cache = "node_modules/.cache/conclave";

/**
 * The folder of this name that `make` fills.
 * @param sources files and folders that decide what is in it
 */
export function madeOnce(name: string, sources: readonly string[], make: (folder: string) => void): string {
  const made = join(cache, `${name}-${digest(sources)}`);
  if (existsSync(made)) return made;
  mkdirSync(cache, { recursive: true });
  // Under another name first: two test files may make it at once, and one that was cut short mustn't be taken for whole.
  const begun = mkdtempSync(join(cache, `making-${name}-`));
  make(begun);
  try {
    renameSync(begun, made);
  } catch (error) {
    if (!existsSync(made)) throw error;
    rmSync(begun, { recursive: true, force: true });
  }
  return made;
}

function digest(sources: readonly string[]): string {
  const hash = createHash("sha256");
  for (const source of sources) {
    const files = statSync(source).isDirectory()
      ? readdirSync(source, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [source];
    for (const file of files) hash.update(file).update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}
