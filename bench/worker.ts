/** A Worker of its own for a measurement, with a database of its own, that leaves nothing behind. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const adminSecret = "bench-admin-secret-that-is-long-enough";

export class BenchWorker {
  /** Where its databases are. */
  readonly folder = mkdtempSync(join(tmpdir(), "conclave-bench-"));
  private process: ChildProcess | undefined;
  private origin = "";

  /** @param modelUrl of the provider `openai`. */
  constructor(private readonly modelUrl: string) {}

  async start(): Promise<void> {
    const { folder } = this;
    const secrets = join(folder, "secrets.env");
    writeFileSync(
      secrets,
      `ADMIN_SECRET=${adminSecret}\nSEALING_SECRET=bench-sealing-secret-that-is-long-enough\nENVIRONMENT=local\n`,
    );
    const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false", CI: "true" };
    const migrated = spawnSync(process.execPath, ["scripts/migrate-local.mjs", folder], { env, encoding: "utf8" });
    if (migrated.status !== 0) throw new Error(migrated.stdout + migrated.stderr);

    const port = await freePort();
    const args = ["dev", "--port", String(port), "--persist-to", folder, "--env-file", secrets, "--log-level", "error"];
    const vars = ["--var", "OPENAI_API_KEY:bench", "--var", `OPENAI_BASE_URL:${this.modelUrl}`];
    this.process = spawn("wrangler", [...args, ...vars, "--show-interactive-dev-session=false"], {
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.origin = `http://127.0.0.1:${port}`;
    for (let tries = 0; tries < 240; tries++) {
      if (this.process.exitCode !== null) throw new Error("the Worker ended at its start");
      const health = await fetch(`${this.origin}/health`).catch(() => undefined);
      if (health?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error("the Worker was not ready within 60 s");
  }

  stop(): void {
    this.process?.kill("SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
  }

  async tenantKey(): Promise<string> {
    return String((await this.call("POST", "/v1/admin/tenants", adminSecret, { name: "bench" })).key);
  }

  /** What is done twice an hour, as at this time. @param at milliseconds since the epoch */
  async schedule(at: number): Promise<void> {
    const ring = `/cdn-cgi/local/scheduled?cron=${encodeURIComponent("17,47 * * * *")}&time=${at}`;
    const answer = await fetch(this.origin + ring);
    if (!answer.ok) throw new Error(`the schedule: ${answer.status} ${await answer.text()}`);
  }

  async call(method: string, path: string, token: string, body: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(this.origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer: Record<string, unknown> = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  }
}

export function spread(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { median: at(0.5), p95: at(0.95) };
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
