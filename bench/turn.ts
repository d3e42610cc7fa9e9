/**
 * What supervision costs a caller: a message through the Worker, with ten rules supervisors and with none, next to the bare call of
 * the same model over the same HTTP. The model is the scripted upstream, which answers at once; a real one takes seconds.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { startUpstream } from "../tests/support/scripted-upstream.js";
import { upstreamFor } from "../tests/support/upstream-client.js";
import { manyRules, reply } from "./workload.js";

const warmUps = 30;
const rounds = 200;
const adminSecret = "bench-admin-secret";
const replyText = reply(500);

const folder = mkdtempSync(join(tmpdir(), "conclave-bench-"));
const upstream = await startUpstream();
const model = upstreamFor(upstream.url, "bench-model");
let worker: ChildProcess | undefined;
try {
  // In one piece: the upstream takes a millisecond for each.
  await model.reply({ text: replyText, chunks: [replyText], repeat: true });
  const origin = await startWorker();
  const key = await tenantKey(origin);
  const say = await sessionsOf(origin, key);
  console.log(`BENCH ${JSON.stringify(await measure(say))}`);
} finally {
  worker?.kill("SIGTERM");
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

/** The cases take turns, so that whatever disturbs the machine disturbs all of them alike. */
async function measure(say: (session: "none" | "ten", content: string) => Promise<void>) {
  const taken: Record<"bare" | "none" | "ten", number[]> = { bare: [], none: [], ten: [] };
  for (let round = 0; round < warmUps + rounds; round++) {
    const content = `Message ${round}: where is my parcel, and when does the rest of it arrive?`;
    const cases = { bare: () => callBare(content), none: () => say("none", content), ten: () => say("ten", content) };
    for (const name of ["bare", "none", "ten"] as const) {
      const started = performance.now();
      await cases[name]();
      if (round >= warmUps) taken[name].push(performance.now() - started);
    }
  }
  return { bare: spread(taken.bare), none: spread(taken.none), ten: spread(taken.ten), rounds };
}

function spread(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
}

async function callBare(content: string): Promise<void> {
  const response = await fetch(`${model.baseURL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer bench" },
    // Streamed, as the Worker calls it.
    body: JSON.stringify({ model: model.model, messages: [{ role: "user", content }], stream: true }),
  });
  if (!(await response.text()).includes(replyText)) throw new Error("the upstream said something else");
}

async function sessionsOf(origin: string, key: string) {
  const configs = manyRules(10);
  for (const [index, config] of configs.entries()) {
    await call(origin, "PUT", `/v1/supervisors/rules-${index}`, key, {
      kind: "rules",
      hooks: ["request", "response"],
      config,
    });
  }
  const begin = async (agent: string, supervisors: readonly string[]): Promise<string> => {
    const definition = { kind: "model", model: `openai/${model.model}`, instructions: "Be helpful.", supervisors };
    await call(origin, "PUT", `/v1/agents/${agent}`, key, definition);
    return String((await call(origin, "POST", "/v1/sessions", key, { agent })).sessionId);
  };
  const sessions = {
    none: await begin("unsupervised", []),
    ten: await begin(
      "supervised",
      configs.map((_, index) => `rules-${index}`),
    ),
  };
  return async (session: "none" | "ten", content: string): Promise<void> => {
    const turn = await call(origin, "POST", `/v1/sessions/${sessions[session]}/messages`, key, { content });
    if (turn.status !== "completed") throw new Error(`the turn ended as ${String(turn.status)}`);
  };
}

async function tenantKey(origin: string): Promise<string> {
  return String((await call(origin, "POST", "/v1/admin/tenants", adminSecret, { name: "bench" })).key);
}

async function call(origin: string, method: string, path: string, token: string, body: unknown) {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer: Record<string, unknown> = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** A Worker of its own, with a database of its own, that leaves nothing behind. */
async function startWorker(): Promise<string> {
  const secrets = join(folder, "secrets.env");
  writeFileSync(secrets, `ADMIN_SECRET=${adminSecret}\nSEALING_SECRET=bench-sealing-secret\n`);
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" };
  const migrate = ["d1", "migrations", "apply", "conclave", "--local", "--persist-to", folder];
  const migrated = spawnSync("wrangler", migrate, { env, encoding: "utf8" });
  if (migrated.status !== 0) throw new Error(migrated.stdout + migrated.stderr);

  const port = await freePort();
  const args = ["dev", "--port", String(port), "--persist-to", folder, "--env-file", secrets, "--log-level", "error"];
  const vars = ["--var", "OPENAI_API_KEY:bench", "--var", `OPENAI_BASE_URL:${model.baseURL}`];
  worker = spawn("wrangler", [...args, ...vars, "--show-interactive-dev-session=false"], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const origin = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 240; tries++) {
    if (worker.exitCode !== null) throw new Error("the Worker ended at its start");
    const health = await fetch(`${origin}/health`).catch(() => undefined);
    if (health?.ok) return origin;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error("the Worker was not ready within 60 s");
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
