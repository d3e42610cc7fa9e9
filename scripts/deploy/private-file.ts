/** Files that only their owner reads. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Whole or not at all, with mode 600: whoever is stopped in between leaves what was there. */
export function writePrivately(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const begun = `${file}.begun`;
  rmSync(begun, { force: true });
  writeFileSync(begun, text, { mode: 0o600 });
  renameSync(begun, file);
}
