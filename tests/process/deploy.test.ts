import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { deployerTo } from "../support/deployments.js";
import { FakeCloudflare } from "../support/fake-cloudflare.js";

let fake: FakeCloudflare;
let origin: string;
let stop: () => Promise<void>;
let folder: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  fake = new FakeCloudflare();
  fake.subdomain = "acme";
  ({ origin, stop } = await fake.listen());
  folder = mkdtempSync(join(tmpdir(), "conclave-deploy-"));
});

afterEach(() => stop());

interface Ran {
  readonly code: number | null;
  readonly said: string;
}

/** The script of `npm run deploy` with the wrangler that it runs. Its files are kept apart from the checkout's. */
function deploy(...args: readonly string[]): Promise<Ran> {
  return runScript(["scripts/deploy.ts", "--env", "production", "--address", origin, ...args]);
}

/** The checkout with a configuration of its own, which `npm run databases` writes. */
function ownCheckout(): string {
  const checkout = mkdtempSync(join(tmpdir(), "conclave-checkout-"));
  const configuration = "wrangler.toml";
  for (const name of readdirSync("."))
    if (name !== configuration && !/^\.(?:git|wrangler)$/.test(name)) symlinkSync(resolve(name), join(checkout, name));
  copyFileSync(configuration, join(checkout, configuration));
  return checkout;
}

async function runScript(argv: readonly string[], cwd = "."): Promise<Ran> {
  const env = {
    ...process.env,
    PATH: `${resolve("node_modules/.bin")}:${process.env.PATH}`,
    CLOUDFLARE_API_BASE_URL: `${origin}/client/v4`,
    CLOUDFLARE_API_TOKEN: "token",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    CONCLAVE_DEPLOY_FOLDER: folder,
  };
  child = spawn("tsx", argv, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (said += text));
  const code = await new Promise<number | null>((done) => child?.once("close", done));
  return { code, said };
}

/** The script and what it runs, at once. */
function kill(): void {
  if (child?.pid !== undefined) process.kill(-child.pid, "SIGKILL");
}

it("deploys to an empty account in one command, with wrangler, and the same again makes nothing twice", async () => {
  const first = await deploy("--yes", "--location", "weur");
  expect(first.said).toContain("The model was shown: My card is [card].");
  expect(first.code).toBe(0);
  expect(statSync(join(folder, "secrets.production.env")).mode & 0o777).toBe(0o600);
  expect([...fake.secrets.keys()].sort()).toEqual(["ADMIN_SECRET", "SEALING_SECRET"]);
  expect(fake.crons).toHaveLength(2);
  expect(fake.queues.map(({ consumers }) => consumers.length)).toEqual([1, 1, 1]);

  const made = fake.writes.filter((write) => /^POST \/(?:d1\/database|queues)$/.test(write));
  expect(made).toHaveLength(4);
  const again = await deploy("--yes");
  expect(again.said).toContain("The model was shown");
  expect(again.code).toBe(0);
  expect(fake.writes.filter((write) => /^POST \/(?:d1\/database|queues)$/.test(write))).toEqual(made);
  expect(fake.worker.tenants).toHaveLength(1);
  expect(fake.unknown).toEqual([]);

  // As if what runs were an older release.
  for (const version of fake.versions) version.tag = "0.0.9";
  const canary = await deploy("--yes", "--canary", "10");
  expect(canary.said).toContain("Back: --rollback");
  expect(fake.deployments[0]?.versions.map(({ percentage }) => percentage)).toEqual([10, 90]);
  expect(fake.unknown).toEqual([]);
});

it("goes on after it was killed in the middle of a migration, and then in the middle of the upload", async () => {
  for (const [call, times] of [
    [/\/query$/, 12],
    [/^PUT .*\/workers\/scripts\/[^/]+$/, 1],
  ] as const) {
    let seen = 0;
    fake.onCall = (_number, when) => {
      if (when === "after" && call.test(fake.calls.at(-1)?.split("?")[0] ?? "") && ++seen === times) kill();
    };
    expect((await deploy("--yes", "--location", "weur")).code).toBe(null);
    expect(seen).toBe(times);
  }
  fake.onCall = () => undefined;
  const whole = await deploy("--yes", "--location", "weur");
  expect(whole.said).toContain("The model was shown: My card is [card].");
  expect(whole.code).toBe(0);
  expect(fake.databases.size).toBe(1);
  expect(fake.queues.map(({ consumers }) => consumers.length)).toEqual([1, 1, 1]);
  expect(fake.worker.tenants).toHaveLength(1);
  expect(fake.unknown).toEqual([]);
});

it("adds a database by one command, goes on where that was killed, and binds it", async () => {
  const checkout = ownCheckout();
  const databases = (...args: string[]) => {
    const to = ["--env", "production", "--address", origin];
    return runScript(["scripts/databases.ts", ...args, ...to], checkout);
  };
  const configuration = (): string => readFileSync(join(checkout, "wrangler.toml"), "utf8");
  const before = configuration();
  // Deployed by what stands in for wrangler: that wrangler deploys is said above.
  const first = deployerTo(fake);
  folder = first.folder;
  await first.run();

  // It has to be said where it lies: refused, it is added nowhere.
  expect(await databases("add", "--yes")).toMatchObject({ code: 1, said: expect.stringContaining("--location weur") });
  expect(configuration()).toBe(before);
  let isKilled = false;
  fake.onCall = (_number, when) => {
    if (when === "before" || isKilled || fake.databases.size < 2) return;
    isKilled = true;
    kill();
  };
  const killed = await databases("add", "--yes", "--location", "weur");
  expect(killed.code, killed.said).toBe(null);
  fake.onCall = () => undefined;
  const added = await databases("add", "--yes", "--location", "weur");
  expect(added.said).toContain("Going on with");
  expect(added.code, added.said).toBe(0);
  expect(fake.databases.size).toBe(2);
  expect(configuration().match(/"conclave-production-\d+"/g)).toEqual(['"conclave-production-01"']);
  const listed = await databases("list");
  expect(listed.said).toMatch(/^0 .* 1 tenants, (\d+) migrations.*\n1 .* 0 tenants, \1 migrations/m);
  expect(fake.unknown).toEqual([]);
});
