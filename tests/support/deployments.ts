/** Deployments to the fake account, in the test's own process: wrangler's calls are made by a stand-in that makes the same. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deploy } from "../../scripts/deploy/deploy.js";
import { type Options, readOptions } from "../../scripts/deploy/options.js";
import type { Ports } from "../../scripts/deploy/ports.js";
import type { Release } from "../../scripts/deploy/releases.js";
import { readTarget, type Target } from "../../scripts/deploy/target.js";
import { deployCanary, rollBack } from "../../scripts/deploy/traffic.js";
import { accountId, type FakeCloudflare } from "./fake-cloudflare.js";

export const production = await readTarget("production");

const api = `http://api.test/client/v4/accounts/${accountId}`;
const script = `/workers/scripts/${production.worker}`;
const now = Date.UTC(2026, 10, 24, 12);

export interface Deployer {
  readonly ports: Ports;
  readonly printed: string[];
  readonly asked: string[];
  /** Its files, as those of a checkout. */
  readonly folder: string;
  /** @param args of `npm run deploy -- --env production` */
  readonly run: (args?: string, target?: Target, releases?: readonly Release[]) => Promise<void>;
}

/** @param answers of the person at the terminal, in order; without any nobody is there */
export function deployerTo(fake: FakeCloudflare, answers: readonly string[] = []): Deployer {
  const folder = mkdtempSync(join(tmpdir(), "conclave-deploy-"));
  const printed: string[] = [];
  const asked: string[] = [];
  const left = [...answers];
  let deployed = production;
  const ports: Ports = {
    fetch: fake.fetch,
    wrangler: (args) => standInForWrangler(fake, args, deployed),
    ask: async (question) => {
      asked.push(question);
      return left.shift();
    },
    print: (line) => void printed.push(line),
    wait: async () => undefined,
    environment: { CLOUDFLARE_API_BASE_URL: "http://api.test/client/v4", CLOUDFLARE_API_TOKEN: "token" },
    folder,
  };
  const run = (
    args = "--yes --location weur",
    target = production,
    releases: readonly Release[] = [],
  ): Promise<void> => {
    deployed = target;
    const options = optionsOf(args);
    if (options.rollback !== undefined) return rollBack(target, options, releases, ports);
    if (options.canary !== undefined) return deployCanary(target, options, releases, ports);
    return deploy(target, options, now, ports);
  };
  return { ports, printed, asked, folder, run };
}

export function optionsOf(args: string): Options {
  return readOptions(["--env", "production", ...args.split(" ").filter(Boolean)], ["staging", "production"]);
}

/** The calls of wrangler 4.164 that change something, with what it reads before them. */
async function standInForWrangler(fake: FakeCloudflare, args: readonly string[], target: Target) {
  const flag = (name: string): string | undefined => args[args.indexOf(name) + 1 || args.length];
  const send = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const headers = { authorization: "Bearer token", "content-type": "application/json" };
    const response = await fake.fetch(api + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response;
  };
  if (args.slice(0, 3).join(" ") === "d1 migrations apply") await applyMigrations(args[3] ?? "", send);
  else if (args[0] === "deploy")
    await upload(target, flag("--tag"), flag("--secrets-file"), flag("--domain"), send, flag("--var"));
  else if (args[0] === "versions")
    await send("POST", `${script}/versions`, { annotations: { "workers/tag": flag("--tag") } });
  else return { status: 1, output: `The stand-in knows no ${args.join(" ")}` };
  return { status: 0, output: "" };
}

type Send = (method: string, path: string, body?: unknown) => Promise<Response>;

async function applyMigrations(database: string, send: Send): Promise<void> {
  const { result } = (await (await send("GET", `/d1/database/${database}`)).json()) as { result: { uuid: string } };
  const query = async (sql: string): Promise<unknown> =>
    (await send("POST", `/d1/database/${result.uuid}/query`, { sql })).json();
  await query(
    "CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)",
  );
  const applied = JSON.stringify(await query("SELECT * FROM d1_migrations ORDER BY id"));
  for (const name of production.migrations.filter((one) => !applied.includes(`"${one}"`))) {
    await query(`${readFileSync(`migrations/${name}`, "utf8")}\nINSERT INTO d1_migrations (name) VALUES ('${name}');`);
  }
}

async function upload(
  target: Target,
  tag: string | undefined,
  secretsFile: string | undefined,
  domain: string | undefined,
  send: Send,
  variable?: string,
): Promise<void> {
  const secrets =
    secretsFile === undefined ? {} : (JSON.parse(readFileSync(secretsFile, "utf8")) as Record<string, string>);
  await send("PUT", script, {
    bindings: [
      ...Object.entries(secrets).map(([name, text]) => ({ type: "secret_text", name, text })),
      ...target.databases.map((_, number) => ({ type: "d1", name: number === 0 ? "DB" : `DB_0${number}` })),
      ...(target.bucket === undefined ? [] : [{ type: "r2_bucket", name: "ARCHIVE" }]),
      ...(variable === undefined
        ? []
        : [{ type: "plain_text", name: variable.split(":")[0], text: variable.split(":")[1] }]),
    ],
    annotations: { "workers/tag": tag },
  });
  if (domain === undefined) await send("POST", `${script}/subdomain`, { enabled: true });
  else await send("PUT", `${script}/domains/records`, { origins: [{ hostname: domain }] });
  await send("PUT", `${script}/schedules`, [{ cron: "* * * * *" }]);
  for (const name of production.queues) {
    const { result } = (await (await send("GET", `/queues?name=${name}&page=1`)).json()) as {
      result: { queue_id: string; consumers: { consumer_id: string }[] }[];
    };
    const [queue] = result;
    if (queue === undefined) throw new Error(`Queue "${name}" does not exist.`);
    const [consumer] = queue.consumers;
    const path = `/queues/${queue.queue_id}/consumers`;
    await send(consumer ? "PUT" : "POST", consumer ? `${path}/${consumer.consumer_id}` : path, {
      script_name: production.worker,
    });
  }
}
