/** The Worker as it is deployed: built once, and served from the built bundle at each start, which takes a few seconds less than building anew. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { WorkerProcess } from "../../tests/process/worker.js";

export class BundledWorker extends WorkerProcess {
  private readonly bundle = mkdtempSync(join(tmpdir(), "conclave-bundle-"));

  constructor(upstreamUrl: string, log: number) {
    super(upstreamUrl, {}, log);
    const built = spawnSync("wrangler", ["deploy", "--dry-run", "--minify", "--outdir", this.bundle], {
      encoding: "utf8",
      env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
    });
    if (built.status !== 0) throw new Error(built.stdout + built.stderr);
    const {
      modulesRules: _,
      rootPath: __,
      assets: ___,
      ...options
    } = unstable_getMiniflareWorkerOptions("wrangler.toml").workerOptions;
    // Prompts, and what the console sends to browsers.
    const texts = readdirSync(this.bundle).filter((name) => /^[0-9a-f]{40}-/.test(name));
    const modules = [
      { type: "ESModule", path: join(this.bundle, "index.js") },
      ...texts.map((name) => ({ type: "Text", path: join(this.bundle, name) })),
    ];
    const worker = { name: "conclave", ...options, modulesRoot: this.bundle, modules };
    writeFileSync(join(this.bundle, "worker.json"), JSON.stringify(worker));
  }

  protected override command(port: number, vars: Readonly<Record<string, string>>): [string, ...string[]] {
    const serve = join(import.meta.dirname, "serve-bundle.mjs");
    return [process.execPath, serve, this.bundle, this.storage, `${port}`, JSON.stringify(vars)];
  }

  /** What the platform does each minute and twice an hour; here somebody has to. */
  async ring(cron: string): Promise<void> {
    const ring = `${this.variables.URL}/cdn-cgi/local/scheduled?cron=${encodeURIComponent(cron)}`;
    await fetch(ring, { signal: AbortSignal.timeout(20_000) }).catch(() => undefined);
  }

  override async end(): Promise<void> {
    await super.end();
    rmSync(this.bundle, { recursive: true, force: true });
  }
}
