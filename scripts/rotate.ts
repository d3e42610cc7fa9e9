// `npm run rotate -- --env <name> --address <url>`: exchanges SEALING_SECRET for a new one, without an interruption. docs/security.md,
// "Rotate a secret", says what it does. `--env local` is for `npm start`.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import { Refusal } from "./deploy/options.js";
import type { Ports } from "./deploy/ports.js";
import { rotate } from "./deploy/rotation.js";
import { environmentsOf } from "./deploy/target.js";
import { wrangler } from "./deploy/wrangler.js";

const usage =
  "npm run rotate -- --env production --address https://conclave.example.com (--secrets-file <file>, --now); or --env local";
const localKey = ".wrangler/local-key.json";

const ports: Ports = {
  fetch,
  wrangler,
  ask: async () => undefined,
  print: (line) => console.log(line),
  wait: (milliseconds) => wait(milliseconds).then(() => undefined),
  environment: process.env,
  folder: process.env["CONCLAVE_DEPLOY_FOLDER"] ?? ".",
};

try {
  const { values } = parseArgs({
    options: {
      ...{ env: { type: "string", short: "e" }, address: { type: "string" } },
      ...{ "secrets-file": { type: "string" }, now: { type: "boolean", default: false } },
    },
  });
  const environment = values.env ?? "";
  if (environment !== "local" && !environmentsOf(readFileSync("wrangler.toml", "utf8")).includes(environment)) {
    throw new Refusal(`say which environment: ${usage}`);
  }
  const address = values.address ?? (environment === "local" ? localAddress() : undefined);
  if (address === undefined) throw new Refusal(`say where it is reached: ${usage}`);
  const secretsFile = values["secrets-file"];
  const { now } = values;
  await rotate({ environment, address: address.replace(/\/$/, ""), secretsFile, now }, Date.now(), ports);
} catch (error) {
  const isUsage = error instanceof TypeError && "code" in error;
  if (!(error instanceof Refusal) && !isUsage) throw error;
  console.error(`Not exchanged: ${error.message}${isUsage ? `. ${usage}` : ""}`);
  process.exitCode = 1;
}

function localAddress(): string | undefined {
  if (!existsSync(localKey)) return undefined;
  return z.object({ origin: z.string() }).parse(JSON.parse(readFileSync(localKey, "utf8"))).origin;
}
