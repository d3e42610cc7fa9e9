// Types of a client from the API's document, as the example in examples/typed-client uses them:
// `node scripts/generate-client-types.mjs [file]`. Made anew, not kept in the repository.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [, , file = join(root, "examples/typed-client/schema.d.ts")] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "conclave-types-"));
const document = join(folder, "openapi.json");
// openapi-typescript stands in a package of its own: it needs the compiler API that TypeScript 7 has no longer.
const tools = ["examples/typed-client/node_modules/.bin", "node_modules/.bin"].map((folder) => join(root, folder));
const path = [...tools, process.env.PATH].join(delimiter);

const done =
  run("tsx", [join(root, "scripts/openapi-document.ts"), document]) &&
  // With its defaults.
  run("openapi-typescript", [document, "--output", file]);
rmSync(folder, { recursive: true });
process.exit(done ? 0 : 1);

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, PATH: path } });
  if (error !== undefined) console.error(error.message);
  return status === 0;
}
