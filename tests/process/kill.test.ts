/** The real thing: a Worker in its own process, killed without a warning in the middle of a model call. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { z } from "zod";
import { upstreamFor } from "../support/upstream-client.js";

const quiet = { WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" };
const storage = mkdtempSync(join(tmpdir(), "conclave-kill-"));
const adminSecret = "process-test-admin-secret";
let worker: ChildProcess | undefined;
let origin = "";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function start(): Promise<void> {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  const vars = {
    ADMIN_SECRET: adminSecret,
    SEALING_SECRET: "process-test-sealing-secret",
    OPENAI_API_KEY: "process-test-key",
    OPENAI_BASE_URL: `${inject("upstreamUrl")}/v1`,
  };
  worker = spawn(
    "wrangler",
    [
      ...["dev", "--port", `${port}`, "--inspector-port", "0", "--persist-to", storage],
      "--show-interactive-dev-session=false",
      ...Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ],
    // A group of its own, so that the kill takes its children with it.
    { detached: true, stdio: "ignore", env: { ...process.env, ...quiet } },
  );
  await until(async () => (await fetch(`${origin}/health`).catch(() => undefined))?.ok === true, 30_000);
}

/** SIGKILL, to the whole group: nobody gets to tidy up. */
async function kill(): Promise<void> {
  const running = worker;
  worker = undefined;
  if (running?.pid === undefined) return;
  const gone = once(running, "exit");
  process.kill(-running.pid, "SIGKILL");
  await gone;
}

/** Looks again and again: what happens in another process can't tell us. */
async function until(holds: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`didn't come true within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** What this test reads of answers. */
const answerSchema = z.looseObject({
  key: z.string().default(""),
  sessionId: z.string().default(""),
  turnId: z.string().default(""),
  items: z.array(z.unknown()).default([]),
});

async function call(method: string, path: string, key: string, body?: unknown) {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return answerSchema.parse(await response.json());
}

beforeAll(async () => {
  const args = ["d1", "migrations", "apply", "conclave", "--local", "--persist-to", storage];
  const migrated = spawnSync("wrangler", args, { encoding: "utf8", env: { ...process.env, ...quiet } });
  if (migrated.status !== 0) throw new Error(migrated.stdout + migrated.stderr);
  await start();
}, 60_000);

afterAll(async () => {
  await kill();
  rmSync(storage, { recursive: true, force: true });
});

it("a turn goes on after kill -9 in the middle of its model call, and nobody has to ask again", async () => {
  const model = upstreamFor(inject("upstreamUrl"));
  await model.reply({ text: "never heard", hold: "first" }, { text: "Here I am again." });
  const { key } = await call("POST", "/v1/admin/tenants", adminSecret, { name: "process" });
  await call("PUT", "/v1/agents/assistant", key, { kind: "model", model: `openai/${model.model}`, instructions: "" });
  const { sessionId } = await call("POST", "/v1/sessions", key, { agent: "assistant" });
  const { turnId } = await call("POST", `/v1/sessions/${sessionId}/messages`, key, { content: "Hello?", waitMs: 0 });
  await model.until({ requests: 1, open: 1 });

  await kill();
  await model.until({ aborted: 1 });
  await start();

  // Nobody calls the Worker now: its overdue alarm finds the turn.
  await model.until({ requests: 2 }, 60_000);
  const turn = await call("GET", `/v1/sessions/${sessionId}/turns/${turnId}?waitMs=10000`, key);
  expect(turn).toMatchObject({
    status: "completed",
    message: { content: "Hello?" },
    reply: { modelReply: { turns: [{ message: "Here I am again." }] } },
  });
  expect(await model.requests()).toHaveLength(2);
  const transcript = await call("GET", `/v1/sessions/${sessionId}/messages`, key);
  expect(transcript.items).toHaveLength(2);
}, 120_000);
