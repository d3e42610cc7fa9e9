/** `npm start` as a newcomer runs it, in a checkout of its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { upstreamFor } from "../support/upstream-client.js";
import { migratedStorage } from "./migrated-storage.js";
import { freePort } from "./worker.js";

/** What `npm start` needs of a checkout; the rest, `.dev.vars` and `.wrangler` among it, is the test's own. */
const needed = [
  "docs",
  "durable-objects",
  "migrations",
  "node_modules",
  "package.json",
  "scripts",
  "src",
  "wrangler.toml",
];

let checkout: string;
let started: ChildProcess | undefined;

afterEach(async () => {
  if (started?.exitCode === null) {
    const ended = once(started, "close");
    started.kill("SIGTERM");
    await ended;
  }
  rmSync(checkout, { recursive: true, force: true });
});

/** Starts it, with or without a database that is made already, and waits until it says that it runs. Gives what it said, and its tenant's key. */
async function start(
  env: Record<string, string>,
  { vars = "", migrated = true, killedBefore = false } = {},
): Promise<{ said: string; origin: string; key: string }> {
  checkout = mkdtempSync(join(tmpdir(), "conclave-start-"));
  for (const name of needed) symlinkSync(join(process.cwd(), name), join(checkout, name));
  if (migrated) migratedStorage(join(checkout, ".wrangler/state"));
  if (vars !== "") writeFileSync(join(checkout, ".dev.vars"), vars);
  // What this process may have of its own is nobody's setting.
  const unset = { npm_lifecycle_event: "", OPENAI_API_KEY: "", ADMIN_SECRET: "", SEALING_SECRET: "" };
  const port = `${await freePort()}`;
  const run = () =>
    spawn(process.execPath, ["scripts/start.mjs"], {
      cwd: checkout,
      env: { ...process.env, ...unset, ...env, PORT: port },
    });
  if (killedBefore) {
    const killed = run();
    await new Promise<void>((resolve) =>
      killed.stdout.on("data", (text) => `${text}`.includes("database") && resolve()),
    );
    killed.kill("SIGKILL");
    await once(killed, "close");
  }
  const script = run();
  started = script;
  let said = "";
  for (const stream of [script.stdout, script.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text));
  await new Promise<void>((resolve, reject) => {
    script.stdout.on("data", () => said.includes("Conclave is running") && resolve());
    script.once("close", () => reject(new Error(`npm start ended:\n${said}`)));
  });
  const local = JSON.parse(readFileSync(join(checkout, ".wrangler/local-key.json"), "utf8"));
  return { said, ...z.object({ origin: z.string(), key: z.string() }).parse(local) };
}

/** The arguments of every process that can be seen. */
function processList(): string {
  if (existsSync("/proc")) {
    const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return ids.map((id) => spawnSync("cat", [`/proc/${id}/cmdline`], { encoding: "utf8" }).stdout).join("\n");
  }
  return spawnSync("ps", ["-axww", "-o", "command"], { encoding: "utf8" }).stdout;
}

async function say({ origin, key }: { origin: string; key: string }): Promise<unknown> {
  const call = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) });
    return z.record(z.string(), z.unknown()).parse(await answer.json());
  };
  const { sessionId } = await call("/v1/sessions", { agent: "assistant" });
  return call(`/v1/sessions/${sessionId}/messages`, { content: "Hello?" });
}

describe("a second start", () => {
  it("of one that was killed while it migrated mends it, and another in the same folder is refused on whatever port", async () => {
    const { origin, said, key } = await start({}, { migrated: false, killedBefore: true });
    expect(said.trimEnd().split("\n").at(-1)).toBe(key);
    for (const port of [`${await freePort()}`, new URL(origin).port]) {
      const env = { ...process.env, npm_lifecycle_event: "", PORT: port };
      const second = spawnSync(process.execPath, ["scripts/start.mjs"], {
        cwd: checkout,
        env,
        encoding: "utf8",
        timeout: 120_000,
      });
      expect(second.status).toBe(1);
      expect(second.stderr).toContain(`this folder's Conclave runs already, at ${origin}.`);
    }
    expect(JSON.parse(readFileSync(join(checkout, ".wrangler/local-key.json"), "utf8"))).toMatchObject({ origin });
  });
});

describe("a provider's key", () => {
  // With what shells and parsers of such files like to change.
  const secret = "sk-start-$HOME-#1'x";

  it.each(["the environment", ".dev.vars"])(
    "in %s reaches the provider, and stands in no argument of a process and in nothing that is printed",
    async (where) => {
      const model = upstreamFor(inject("upstreamUrl"));
      await model.reply({ text: "Hello from the provider." });
      const settings = { OPENAI_BASE_URL: model.baseURL, DEFAULT_MODEL: `openai/${model.model}` };
      const running =
        where === ".dev.vars"
          ? await start(settings, { vars: `OPENAI_API_KEY="${secret}"\n` })
          : await start({
              ...settings,
              OPENAI_API_KEY: secret,
              ADMIN_SECRET: "an-admin-secret-of-ones-own-long-enough",
            });

      expect(await say(running)).toMatchObject({
        status: "completed",
        reply: { modelReply: { turns: [{ message: "Hello from the provider." }] } },
      });
      const [request] = await model.requests();
      expect(request?.headers.authorization).toBe(`Bearer ${secret}`);
      expect(processList()).toContain("scripts/start.mjs");
      expect(processList()).not.toContain(secret);
      expect(running.said).not.toContain(secret);
      // What the environment has isn't made; what is made, nobody else may read.
      const made = readFileSync(join(checkout, ".dev.vars"), "utf8").match(/^[A-Z]+_SECRET(?==\S{32}$)/gm);
      expect(made).toEqual(where === ".dev.vars" ? ["ADMIN_SECRET", "SEALING_SECRET"] : ["SEALING_SECRET"]);
      if (where !== ".dev.vars") expect(statSync(join(checkout, ".dev.vars")).mode & 0o777).toBe(0o600);
    },
  );
});
