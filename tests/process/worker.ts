/** A Worker in a process of its own, that can be killed without a warning and started again on the same storage. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { builtBundle } from "./bundle.js";
import { migratedStorage } from "./migrated-storage.js";

/**
 * A connection for each call: tests block this process while a program runs, so that it doesn't see the Worker close a kept
 * one, and writes into it.
 */
const unkept = { connection: "close" };
const adminSecret = "process-test-admin-secret-long-enough";

/** What these tests read of answers. */
const answerSchema = z.looseObject({
  key: z.string().default(""),
  tenantId: z.string().default(""),
  sessionId: z.string().default(""),
  turnId: z.string().default(""),
  runId: z.string().default(""),
  link: z.string().default(""),
  status: z.string().default(""),
  answer: z.record(z.string(), z.unknown()).optional(),
  closedBy: z.looseObject({ kind: z.string() }).optional(),
  asks: z.array(z.looseObject({ askId: z.string() })).default([]),
  // Of a dataset their number.
  items: z
    .array(z.unknown())
    .or(z.number().transform(() => []))
    .default([]),
});
export type ProcessAnswer = z.infer<typeof answerSchema>;

export class WorkerProcess {
  /** Where its objects and databases are kept. */
  readonly storage = mkdtempSync(join(tmpdir(), "conclave-kill-"));
  private worker: ChildProcess | undefined;
  private origin = "";

  /**
   * @param upstreamUrl where its models are; without one it has the offline model alone
   * @param more variables beside the usual ones, or in their place
   * @param log a file's descriptor for what it writes
   */
  constructor(
    private readonly upstreamUrl?: string,
    private readonly more: Readonly<Record<string, string>> = {},
    private readonly log?: number,
  ) {
    migratedStorage(this.storage);
  }

  /** @param at the port to be had again by who talks to it; without it another one each time */
  async start(at?: string): Promise<void> {
    const port = at ?? (await freePort());
    this.origin = `http://127.0.0.1:${port}`;
    const vars = {
      ADMIN_SECRET: adminSecret,
      SEALING_SECRET: "process-test-sealing-secret-long-enough",
      ...(this.upstreamUrl === undefined
        ? {}
        : { OPENAI_API_KEY: "process-test-key", OPENAI_BASE_URL: `${this.upstreamUrl}/v1` }),
      ...this.more,
    };
    const serve = join(import.meta.dirname, "serve-bundle.mjs");
    this.worker = spawn(
      process.execPath,
      [serve, builtBundle(), this.storage, `${port}`, JSON.stringify(vars)],
      // A group of its own, so that the kill takes its children with it.
      { detached: true, stdio: ["ignore", this.log ?? "ignore", this.log ?? "ignore"] },
    );
    const { origin } = this;
    await until(
      async () => (await fetch(`${origin}/health`, { headers: unkept }).catch(() => undefined))?.ok === true,
      120_000,
    );
  }

  /** What a script is told that is to talk to it. */
  async scriptEnv(): Promise<Record<string, string>> {
    return { CONCLAVE_URL: this.origin, CONCLAVE_KEY: await this.tenantKey() };
  }

  /** What the platform does each minute and twice an hour; here somebody has to. @param at when it takes it to be, in milliseconds since the epoch */
  async ring(cron: string, at?: number): Promise<void> {
    const time = at === undefined ? "" : `&time=${at}`;
    const ring = `${this.origin}/cdn-cgi/local/scheduled?cron=${encodeURIComponent(cron)}${time}`;
    await fetch(ring, { signal: AbortSignal.timeout(20_000) }).catch(() => undefined);
  }

  /** SIGKILL, to the whole group: nobody gets to tidy up. */
  async kill(): Promise<void> {
    const running = this.worker;
    this.worker = undefined;
    if (running?.pid === undefined) return;
    const gone = once(running, "exit");
    process.kill(-running.pid, "SIGKILL");
    await gone;
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.storage, { recursive: true, force: true });
  }

  /** What commands of the documentation take for granted. */
  get variables(): { readonly URL: string; readonly ADMIN_SECRET: string } {
    return { URL: this.origin, ADMIN_SECRET: adminSecret };
  }

  /** A new tenant, with its key. */
  tenant(): Promise<ProcessAnswer> {
    return this.call("POST", "/v1/admin/tenants", adminSecret, { name: "process" });
  }

  async tenantKey(): Promise<string> {
    return (await this.tenant()).key;
  }

  async call(
    method: string,
    path: string,
    key: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ProcessAnswer> {
    const response = await fetch(this.origin + path, {
      method,
      headers: { ...unkept, authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return answerSchema.parse(response.status === 204 ? {} : await response.json());
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Looks again and again: what happens in another process can't tell us. */
async function until(holds: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`didn't come true within ${timeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
