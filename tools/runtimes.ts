/**
 * Runs the typed client once through in Deno and in Bun, against a running Worker: together they are 190 MB, so `npm test` has Node, a browser and
 * Workers. `CONCLAVE_URL=… CONCLAVE_KEY=cnk_… npm run runtimes`, with the key of an admin or operator.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { Conclave } from "../src/client/index.js";
import { toured } from "../tests/support/client-tour.js";

const runtimes = [
  { name: "deno", version: "2.9.6", args: ["run", "--quiet", "--allow-net", "--allow-env"] },
  { name: "bun", version: "1.4.5", args: ["run"] },
];

const { CONCLAVE_URL: baseUrl = "http://127.0.0.1:8787", CONCLAVE_KEY: token = "" } = process.env;
const body = { kind: "model", model: "offline", instructions: "Help." } as const;
await new Conclave({ baseUrl, token }).api.agents.putAgent({ name: "runtimes", body });

const folder = mkdtempSync(join(tmpdir(), "conclave-runtimes-"));
const outfile = join(folder, "program.mjs");
const contents = `import { tour } from "./tests/support/client-tour.ts";
const options = { baseUrl: ${JSON.stringify(baseUrl)}, token: ${JSON.stringify(token)} };
for (const line of await tour(options, "runtimes")) console.log(line);`;
buildSync({ stdin: { contents, resolveDir: "." }, outfile, bundle: true, format: "esm", platform: "neutral" });
for (const { name, version, args } of runtimes) {
  const command = ["exec", "--yes", `--package=${name}@${version}`, "--", name, ...args, outfile];
  const { stdout, stderr } = spawnSync("npm", command, { encoding: "utf8" });
  const isGood = stdout.trim() === toured.join("\n");
  if (!isGood) process.exitCode = 1;
  console.log(`${name} ${version}: ${isGood ? "good" : `FAILED\n${stdout}${stderr}`}`);
}
rmSync(folder, { recursive: true });
