// Has two linters by others look at the API's document: their rules, and what is left out of them and why, stand in .redocly.yaml
// and .spectral.yaml. Run by `npm test`. What they found nothing in isn't shown to them again: it takes them half a minute.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openApiDocument } from "./openapi-document.js";

/** What was found good: the document, the rules and the linters' versions, as a digest. */
const found = "node_modules/.cache/linted-document";

const document = openApiDocument();
const shown = createHash("sha256").update(document);
for (const rules of [".redocly.yaml", ".spectral.yaml", "package-lock.json"]) shown.update(readFileSync(rules));
const digest = shown.digest("hex");
if (existsSync(found) && readFileSync(found, "utf8") === digest) {
  console.log("as it was when nothing was found in it");
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), "conclave-document-"));
const file = join(folder, "openapi.json");
writeFileSync(file, document);

const codes = await Promise.all([
  run("redocly", ["lint", file, "--config", ".redocly.yaml", "--format=stylish"]),
  run("spectral", ["lint", file, "--ruleset", ".spectral.yaml", "--fail-severity=warn"]),
]);
rmSync(folder, { recursive: true });
const isGood = codes.every((code) => code === 0);
if (isGood) {
  mkdirSync(dirname(found), { recursive: true });
  writeFileSync(found, digest);
}
process.exit(isGood ? 0 : 1);

/** Runs a linter that neither reports home nor looks for its updates. */
async function run(command: string, args: readonly string[]): Promise<unknown> {
  const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const [code] = await once(spawn(command, args, { stdio: "inherit", env: { ...process.env, ...quiet } }), "close");
  return code;
}
