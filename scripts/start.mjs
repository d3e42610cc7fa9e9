// `npm start`: everything that a fresh clone needs to run locally. Runs under the project's own Node (node_modules/.bin).
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { parseArgs, parseEnv } from "node:util";

const varsFile = ".dev.vars";
/** Where the local tenant's key is kept, for `npm run demo` and the next start. */
const keyFile = ".wrangler/local-key.json";
/** What the Worker is given; from the environment, or else from .dev.vars. */
const workerSettings = ["ADMIN_SECRET", "SEALING_SECRET", "OPENAI_API_KEY", "OPENAI_BASE_URL", "DEFAULT_MODEL"];
/** The Worker's /health wants it too: `src/application/system/check-health.ts`. */
const leastSecretLength = 32;
const emptyFile = ".wrangler/empty.env";
/** What the local tenant has from the beginning, by kind and name. */
const starter = JSON.parse(readFileSync(new URL("starter.json", import.meta.url), "utf8"));
const quiet = { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", NO_UPDATE_NOTIFIER: "1" };
/** How long the Worker may take until it answers, in milliseconds. */
const startLimitMs = 120_000;
/** How long it may take to stop when it is asked to, in milliseconds. */
const stopLimitMs = 5_000;

const vars = readVars();
const setting = (name) => process.env[name] || vars[name];
const port = argumentPort() ?? setting("PORT") ?? "8787";
const origin = `http://127.0.0.1:${port}`;
let worker;
let stopping = false;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => stop(0));
stopWithNpm();

try {
  demandPort();
  // First: another port is no help to whoever starts the same folder twice.
  await demandDataOfItsOwn();
  await demandFreePort();
  makeSecrets();
  migrate();
  worker = startWorker();
  await answered();
  const key = await localKey();
  keepSchedule();
  console.log(welcome(key));
} catch (error) {
  if (!stopping) console.error(`\nConclave did not start: ${error.message}`);
  stop(1);
}

/** Stops the Worker and everything it started, then this process. */
function stop(code) {
  if (stopping) return;
  stopping = true;
  if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) process.exit(code);
  worker.once("exit", () => process.exit(code));
  worker.kill("SIGTERM");
  setTimeout(() => {
    worker.kill("SIGKILL");
    process.exit(code);
  }, stopLimitMs).unref();
}

/** npm doesn't pass a signal on to what it runs: when npm is gone, so are we. */
function stopWithNpm() {
  const parent = process.ppid;
  if (!process.env.npm_lifecycle_event) return;
  setInterval(() => process.ppid !== parent && stop(0), 500).unref();
}

function readVars() {
  if (!existsSync(varsFile)) return {};
  return parseEnv(readFileSync(varsFile, "utf8"));
}

/** `npm start -- --port 8788`. Another argument is a mistake, and no reason to start something else than was meant. */
function argumentPort() {
  try {
    return parseArgs({ options: { port: { type: "string" } } }).values.port;
  } catch (error) {
    console.error(
      `Conclave did not start: ${error.message.split(". ")[0]}. It takes --port <number> alone: npm start -- --port 8788`,
    );
    process.exit(1);
  }
}

function demandPort() {
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error(`PORT is "${port}"; it has to be a number from 1 to 65535.`);
  }
}

async function demandFreePort() {
  const free = await new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => (error.code === "EADDRINUSE" ? resolve(false) : reject(error)));
    probe.listen(Number(port), "127.0.0.1", () => probe.close(() => resolve(true)));
  });
  if (free) return;
  const who = (await isConclave()) ? "another Conclave" : "another program";
  throw new Error(`port ${port} is taken by ${who}. Stop that one, or take another port: PORT=8788 npm start`);
}

/** Two Workers on the same files would write into each other's objects. */
async function demandDataOfItsOwn() {
  const known = readKey();
  if (known === undefined) return;
  // Only the Worker that has this folder's database knows its key.
  const other = await fetch(`${known.origin}/v1/sessions?limit=1`, {
    headers: { authorization: `Bearer ${known.key}` },
    signal: AbortSignal.timeout(2_000),
  }).catch(() => undefined);
  if (!other?.ok) return;
  throw new Error(
    `this folder's Conclave runs already, at ${known.origin}. Use that one or stop it; a second one needs a checkout of its own.`,
  );
}

async function isConclave() {
  const health = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  const body = await health?.json().catch(() => undefined);
  return body?.checks !== undefined && body?.version !== undefined;
}

/** The secrets that the Worker can't do without; made once and kept in .dev.vars. */
function makeSecrets() {
  for (const name of ["ADMIN_SECRET", "SEALING_SECRET"]) {
    const given = setting(name);
    if (given && given.length < leastSecretLength) {
      throw new Error(
        `${name} has ${given.length} characters; it needs at least ${leastSecretLength}. Take a longer one (\`openssl rand -base64 32\`), or remove it from ${varsFile} and have one made.`,
      );
    }
    if (given) continue;
    vars[name] = randomBytes(24).toString("base64url");
    const before = existsSync(varsFile) ? readFileSync(varsFile, "utf8") : "";
    writeFileSync(varsFile, `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${name}=${vars[name]}\n`, {
      mode: 0o600,
    });
    console.log(`made ${name} and kept it in ${varsFile}`);
  }
}

function migrate() {
  const migrated = spawnSync("wrangler", ["d1", "migrations", "apply", "conclave", "--local"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...quiet, CI: "true" },
  });
  if (migrated.error !== undefined) {
    throw new Error("wrangler isn't installed. Use `npm start`, which installs what is needed.");
  }
  if (migrated.status !== 0) {
    process.stdout.write(migrated.stdout);
    throw new Error("the local database could not be brought up to date; see above.");
  }
}

/**
 * Settings go through the environment: an argument would stand in the list of processes, where everybody reads it. Wrangler looks
 * there for what wrangler.toml names when it is told of a file in place of .dev.vars; this one is empty.
 */
function startWorker() {
  const given = Object.fromEntries(workerSettings.flatMap((name) => (setting(name) ? [[name, setting(name)]] : [])));
  // Without a key the Worker does without a provider; that one is missing is nothing to warn of.
  const settings = { OPENAI_API_KEY: "", ...given };
  writeFileSync(emptyFile, "");
  const args = ["--port", port, "--env-file", emptyFile, "--show-interactive-dev-session=false"];
  const child = spawn("wrangler", ["dev", ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...settings, ...quiet },
  });
  child.once("exit", (code, signal) => {
    if (stopping) return;
    console.error(`\nThe Worker has ended (${signal ?? `exit code ${code}`}); what it said last stands above.`);
    process.exit(code || 1);
  });
  return child;
}

async function answered() {
  const until = Date.now() + startLimitMs;
  let last = "it never answered";
  while (Date.now() < until) {
    const health = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
    if (health?.ok) return;
    if (health !== undefined) last = `GET /health said ${health.status}: ${(await health.text()).slice(0, 300)}`;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`the Worker was not ready within ${startLimitMs / 1_000} s (${last}); what it said stands above.`);
}

/** Each minute what is owed to webhooks is looked for: locally nobody rings at the times of wrangler.toml. */
function keepSchedule() {
  const ring = `${origin}/cdn-cgi/handler/scheduled?cron=${encodeURIComponent("* * * * *")}`;
  const look = () => void fetch(ring, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  setInterval(look, 60_000).unref();
  look();
}

/** The local tenant's key; made at the first start, and whenever the local database has been thrown away. */
async function localKey() {
  const known = readKey();
  if (known !== undefined) {
    const sessions = await fetch(`${origin}/v1/sessions?limit=1`, {
      headers: { authorization: `Bearer ${known.key}` },
    });
    if (sessions.status !== 401) return keepKey(known);
  }
  const tenant = await call("POST", "/v1/admin/tenants", setting("ADMIN_SECRET"), { name: "local" });
  for (const [kind, resources] of Object.entries(starter)) {
    for (const [name, body] of Object.entries(resources)) await call("PUT", `/v1/${kind}/${name}`, tenant.key, body);
  }
  return keepKey(tenant);
}

function readKey() {
  try {
    const known = JSON.parse(readFileSync(keyFile, "utf8"));
    return typeof known.key === "string" ? known : undefined;
  } catch {
    return undefined;
  }
}

function keepKey({ key, tenantId }) {
  writeFileSync(keyFile, JSON.stringify({ key, tenantId, origin }), { mode: 0o600 });
  return key;
}

async function call(method, path, token, body) {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

function welcome(key) {
  const model = setting("OPENAI_API_KEY")
    ? `OpenAI-compatible, ${setting("OPENAI_BASE_URL") || "api.openai.com"}`
    : "offline: it quotes what it is given (set OPENAI_API_KEY for a real one)";
  return `
Conclave is running at ${origin}   (Ctrl-C stops it)
Model: ${model}

Try it, in another terminal:

  export KEY=${key}
  SESSION=$(curl -s ${origin}/v1/sessions -H "Authorization: Bearer $KEY" \\
    -H "Content-Type: application/json" -d '{"agent":"assistant"}' | sed 's/.*"sessionId":"\\([^"]*\\)".*/\\1/')
  curl -s ${origin}/v1/sessions/$SESSION/messages -H "Authorization: Bearer $KEY" \\
    -H "Content-Type: application/json" -d '{"content":"My card is 4111 1111 1111 1111. What can you do?"}'

Go on:  npm run demo   ·   every route: ${origin}/docs   ·   README.md

Your key (tenant "local", role admin):
${key}
`;
}
