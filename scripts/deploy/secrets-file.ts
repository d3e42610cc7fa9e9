/** Secrets of a deployment in a file that only its owner reads: generated once, or taken from one that was named. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { z } from "zod";
import { leastSecretLength } from "../../src/application/system/check-health.js";
import { Refusal } from "./options.js";
import { writePrivately } from "./private-file.js";

export interface Secrets {
  /** Git ignores the one that is generated. */
  readonly file: string;
  /** Whether the caller has named the file. */
  readonly isGiven: boolean;
  readonly values: Readonly<Record<string, string>>;
}

/** @throws {Refusal} where a file was named that isn't there or can't be read, or a secret is too short */
export function readSecrets(environment: string, given: string | undefined, folder: string): Secrets {
  const file = given ?? join(folder, `secrets.${environment}.env`);
  if (!existsSync(file)) {
    if (given !== undefined) throw new Refusal(`there is no file ${given}.`);
    return { file, isGiven: false, values: {} };
  }
  const values = parse(file, readFileSync(file, "utf8"));
  for (const name of ["ADMIN_SECRET", "SEALING_SECRET"]) {
    const value = values[name];
    if (value !== undefined && value.length < leastSecretLength) {
      throw new Refusal(
        `${name} in ${file} has ${value.length} characters; it needs at least ${leastSecretLength} (openssl rand -base64 32).`,
      );
    }
  }
  return { file, isGiven: given !== undefined, values };
}

function parse(file: string, text: string): Record<string, string> {
  try {
    const values = text.trimStart().startsWith("{") ? JSON.parse(text) : parseEnv(text);
    return z.record(z.string(), z.string()).parse(values);
  } catch (error) {
    throw new Refusal(
      `${file} can't be read: lines NAME=value, or a JSON object of strings. ${error instanceof SyntaxError ? error.message : ""}`,
    );
  }
}

/** Makes those names random and keeps them in a file of mode 600, before anything uses them. */
export function generateSecrets(file: string, names: readonly string[]): Record<string, string> {
  const values = Object.fromEntries(names.map((name) => [name, randomBytes(32).toString("base64url")]));
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  const head = "# Keep a copy in a safe: without SEALING_SECRET what Conclave has sealed can't be read.\n";
  writePrivately(file, head + lines.join(""));
  return values;
}

/**
 * Hands values to a command in a file that only its owner reads, which is gone afterwards. JSON, since wrangler expands `$` in the other form.
 * @returns what the command returned
 */
export async function withSecretsIn<T>(
  file: string,
  values: Readonly<Record<string, string>>,
  command: () => Promise<T>,
): Promise<T> {
  writePrivately(file, JSON.stringify(values));
  try {
    return await command();
  } finally {
    rmSync(file, { force: true });
  }
}
