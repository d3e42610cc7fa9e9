// The built bundle in Miniflare, with a database of its own in a folder that goes with it, and what a measurement needs around it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(`${root}package.json`);
const adminSecret = "bench-admin-secret-that-is-long-enough";

/** @param minify a bundle that isn't minified has names that a profile can show */
export function build({ minify }) {
  const outdir = `${root}dist/bench`;
  const args = ["deploy", "--dry-run", ...(minify ? ["--minify"] : []), "--outdir", outdir];
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" };
  const built = spawnSync(`${root}node_modules/.bin/wrangler`, args, { cwd: root, env, encoding: "utf8" });
  if (built.status !== 0) throw new Error(built.stdout + built.stderr);
  return outdir;
}

/** Starts the bundle. @returns its address, calls of its API, and the port of its inspector where one was asked for */
export async function startBundle(outdir, modelUrl, { inspector = false } = {}) {
  const { Miniflare, Log, LogLevel } = require(createRequire(require.resolve("wrangler")).resolve("miniflare"));
  const { unstable_splitSqlQuery: splitSqlQuery } = require("wrangler");
  const names = readdirSync(outdir).filter((name) => /\.(js|md)$/.test(name) && name !== "README.md");
  const modules = names.map((name) => {
    const contents = readFileSync(`${outdir}/${name}`, "utf8");
    return [name, { type: name.endsWith(".js") ? "esm" : "text", contents }];
  });
  const text = (value) => ({ type: "text", value });
  const objects = { CHAT_SESSION: "ChatSession", MEMORY_THREAD: "MemoryThread", ROUTING_RUN: "RoutingRun" };
  const each = (make) => Object.fromEntries(Object.entries(objects).map(make));
  const [port, inspectorPort] = await freePorts(inspector ? 2 : 1);
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port,
    ...(inspectorPort === undefined ? {} : { inspectorPort }),
    log: new Log(LogLevel.NONE),
    handleStructuredLogs: () => {},
    workers: [
      {
        config: {
          name: "conclave",
          compatibilityDate: /^compatibility_date = "(.*)"$/m.exec(readFileSync(`${root}wrangler.toml`, "utf8"))[1],
          triggers: ["flushes", "webhooks"].map((name) => ({ type: "queue", name, maxBatchTimeout: 0 })),
          manifest: { mainModule: "index.js", modulesRoot: outdir, modules: Object.fromEntries(modules) },
          env: {
            ENVIRONMENT: text("local"),
            ADMIN_SECRET: text(adminSecret),
            SEALING_SECRET: text("bench-sealing-secret-that-is-long-enough"),
            OPENAI_API_KEY: text("bench"),
            OPENAI_BASE_URL: text(modelUrl),
            DEFAULT_MODEL: text(""),
            DB: { type: "d1", id: "bench" },
            FLUSHES: { type: "queue", name: "flushes" },
            WEBHOOKS: { type: "queue", name: "webhooks" },
            ...each(([name, exportName]) => [name, { type: "durable-object", worker: "conclave", exportName }]),
          },
          exports: each(([, name]) => [name, { type: "durable-object", storage: "sqlite" }]),
        },
      },
    ],
  });
  await miniflare.ready;
  const db = await miniflare.getD1Database("DB");
  for (const name of readdirSync(`${root}migrations`).sort()) {
    const statements = splitSqlQuery(readFileSync(`${root}migrations/${name}`, "utf8"));
    await db.batch(statements.map((statement) => db.prepare(statement)));
  }
  const origin = `http://127.0.0.1:${port}`;
  const call = async (method, path, token, body) => {
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const { key } = await call("POST", "/v1/admin/tenants", adminSecret, { name: "bench" });
  return {
    origin,
    port,
    inspectorPort,
    key,
    db,
    call: (method, path, body) => call(method, path, key, body),
    stop: () => miniflare.dispose(),
  };
}

/** Ten rules supervisors, of every kind in turn; none of them finds anything in what is said. */
export function tenRules() {
  const kinds = (at) => [
    { match: { type: "phrases", phrases: [`project kestrel ${at}`, "not for distribution"] }, action: "block" },
    { match: { type: "personalData" }, action: "redact" },
    { match: { type: "pattern", pattern: `CASE-\\d{4}-${at}` }, action: "redact" },
    { match: { type: "secrets" }, action: "block" },
    { match: { type: "injection" }, action: "block" },
  ];
  return Array.from({ length: 10 }, (_, at) => ({ ...kinds(at)[at % 5], reason: "A rule." }));
}

/** Agents without and with supervisors, a team, and a function that begins a session with one of the agents. */
export async function prepare(worker) {
  const rules = tenRules();
  for (const [at, rule] of rules.entries()) {
    const body = { kind: "rules", hooks: ["request", "response"], config: { rules: [rule] } };
    await worker.call("PUT", `/v1/supervisors/rules-${at}`, body);
  }
  const agent = (name, supervisors) =>
    worker.call("PUT", `/v1/agents/${name}`, {
      ...{ kind: "model", model: "openai/bench", instructions: "Be helpful.", supervisors },
    });
  await agent("none", []);
  await agent(
    "ten",
    rules.map((_, at) => `rules-${at}`),
  );
  const id = "parcels";
  await worker.call("PUT", "/v1/teams/helpers", {
    supervisor: { strategy: "llm-based", model: "openai/bench" },
    workers: [{ id, description: "Knows about parcels", model: "openai/bench" }],
  });
  return async (agent) => (await worker.call("POST", "/v1/sessions", { agent })).sessionId;
}

/** A process that prints its port (or, with a port given, is ready when that answers). */
export async function startProcess(args, { port, env = {} } = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const printed = new Promise((resolve) => child.stdout.once("data", (chunk) => resolve(Number(chunk))));
  child.stdout.resume();
  const at = port ?? (await printed);
  for (let tries = 0; port !== undefined && tries < 200; tries++) {
    if ((await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port: at, stop: () => child.kill("SIGTERM") };
}

/** As many as are asked for, each another: a port that was let go of may be given out again, so all are held until the last is there. */
export async function freePorts(count) {
  const probes = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(probes.map((probe) => once(probe, "listening")));
  const ports = probes.map((probe) => probe.address().port);
  await Promise.all(probes.map((probe) => once(probe.close(), "close")));
  return ports;
}
