// `npm start`: everything that a fresh clone needs to run locally. Runs under the project's own Node (node_modules/.bin).
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { parseArgs, parseEnv } from "node:util";
import { openShop } from "./shop.mjs";
import { welcome } from "./welcome.mjs";

const varsFile = ".dev.vars";
/** Where the local tenant's key is kept, for `npm run demo` and the next start. */
const keyFile = ".wrangler/local-key.json";
/** What the Worker is given; from the environment, or else from .dev.vars. */
const workerSettings = [
  "ADMIN_SECRET",
  "SEALING_SECRET",
  "SEALING_SECRET_PREVIOUS",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "DEFAULT_MODEL",
];
/** The Worker's /health wants it too: `src/application/system/check-health.ts`. */
const leastSecretLength = 32;
const emptyFile = ".wrangler/empty.env";
/** What the local tenant has from the beginning, by kind and name; its tools call the shop at this address. */
const starter = readFileSync(new URL("starter.json", import.meta.url), "utf8");
const shopInStarter = "http://127.0.0.1:8786";
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
  await migrate();
  worker = startWorker();
  await answered();
  const key = await localKey(await openShop(readKey()?.shopPort ?? new URL(shopInStarter).port));
  const link = await consoleLink();
  await keepSchedule();
  // wrangler writes its line about a request a moment after the answer: the key stays the last line.
  await new Promise((resolve) => setTimeout(resolve, 500));
  console.log(welcome({ origin, key, link, apiKey: setting("OPENAI_API_KEY"), baseUrl: setting("OPENAI_BASE_URL") }));
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
    // One that was there keeps the mode that it had.
    chmodSync(varsFile, 0o600);
    console.log(`made ${name} and kept it in ${varsFile}`);
  }
}

/** Tried three times: a start that was killed may have left its own migration running, and the same step can't be done by two. */
async function migrate() {
  for (let attempt = 1; ; attempt++) {
    const { status, said } = await migrated();
    if (status === 0) return;
    if (attempt === 3) throw new Error(`the local databases could not be brought up to date:\n${said}`);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

/** Says what it does while it does it; stopped when this process is. Gives how it ended, and with which errors. */
async function migrated() {
  worker = spawn(process.execPath, ["scripts/migrate-local.mjs"], {
    stdio: ["ignore", "inherit", "pipe"],
    env: { ...process.env, ...quiet },
  });
  let said = "";
  worker.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  const [status] = await once(worker, "close");
  worker = undefined;
  return { status, said };
}

/**
 * Settings go through the environment: an argument would stand in the list of processes, where everybody reads it. Wrangler looks
 * there for what wrangler.toml names when it is told of a file in place of .dev.vars; this one is empty.
 */
function startWorker() {
  const given = Object.fromEntries(workerSettings.flatMap((name) => (setting(name) ? [[name, setting(name)]] : [])));
  // Without a key the Worker does without a provider; that one is missing is nothing to warn of, nor that no secret is being exchanged.
  const settings = { OPENAI_API_KEY: "", SEALING_SECRET_PREVIOUS: "", ...given };
  writeFileSync(emptyFile, "");
  const args = ["--port", port, "--env-file", emptyFile, "--show-interactive-dev-session=false"];
  const child = spawn("wrangler", ["dev", ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...settings, ...quiet },
  });
  child.once("error", () => {
    console.error(
      "\nConclave did not start: wrangler isn't on the path. Use `npm start`, which finds and installs it.",
    );
    process.exit(1);
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
async function keepSchedule() {
  const ring = `${origin}/cdn-cgi/handler/scheduled?cron=${encodeURIComponent("* * * * *")}`;
  const look = () => fetch(ring, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  setInterval(look, 60_000).unref();
  await look();
}

/** The local tenant's key; made at the first start, and whenever the local database has been thrown away. */
async function localKey(shop) {
  const { tools, ...others } = JSON.parse(starter.replaceAll(shopInStarter, shop));
  const known = readKey();
  if (known !== undefined) {
    const of = await fetch(`${origin}/v1/tools/order`, { headers: { authorization: `Bearer ${known.key}` } });
    // The shop has another address where its port was taken. Whoever deleted its tools goes on without.
    if (of.ok) await putAll({ tools }, known.key);
    if (of.status !== 401) return keepKey(known, shop);
  }
  const tenant = await call("POST", "/v1/admin/tenants", setting("ADMIN_SECRET"), { name: "local" });
  await putAll({ tools, ...others }, tenant.key);
  return keepKey(tenant, shop);
}

async function putAll(kinds, key) {
  for (const [kind, resources] of Object.entries(kinds)) {
    for (const [name, body] of Object.entries(resources)) await call("PUT", `/v1/${kind}/${name}`, key, body);
  }
}

function readKey() {
  try {
    const known = JSON.parse(readFileSync(keyFile, "utf8"));
    return typeof known.key === "string" ? known : undefined;
  } catch {
    return undefined;
  }
}

function keepKey({ key, tenantId }, shop) {
  writeFileSync(keyFile, JSON.stringify({ key, tenantId, origin, shopPort: new URL(shop).port }), { mode: 0o600 });
  chmodSync(keyFile, 0o600);
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

/** A link that signs whoever runs this in to the console; a new one at each start. Passkeys want `localhost`. */
async function consoleLink() {
  const { tenantId } = readKey();
  const you = { name: "You", email: "you@localhost.local" };
  const { link } = await call("POST", `/v1/admin/tenants/${tenantId}/people`, setting("ADMIN_SECRET"), you);
  return link.replace("//127.0.0.1:", "//localhost:");
}
