// Has two linters by others look at the API's document: their rules, and what is left out of them and why, stand in .redocly.yaml
// and .spectral.yaml. Run by `npm test`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApiDocument } from "./openapi-document.js";

const folder = mkdtempSync(join(tmpdir(), "conclave-document-"));
const file = join(folder, "openapi.json");
writeFileSync(file, await openApiDocument());

const codes = await Promise.all([
  run("redocly", ["lint", file, "--config", ".redocly.yaml", "--format=stylish"]),
  run("spectral", ["lint", file, "--ruleset", ".spectral.yaml", "--fail-severity=warn"]),
]);
rmSync(folder, { recursive: true });
process.exit(codes.every((code) => code === 0) ? 0 : 1);

/** Runs a linter that neither reports home nor looks for its updates. */
async function run(command: string, args: readonly string[]): Promise<unknown> {
  const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const [code] = await once(spawn(command, args, { stdio: "inherit", env: { ...process.env, ...quiet } }), "close");
  return code;
}
