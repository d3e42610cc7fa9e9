/** More than one database: named in wrangler.toml, made and migrated by a deployment, and known to the Worker with where it lies. */
import { readFileSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { moveTenant } from "../../../scripts/deploy/move.js";
import { withDatabase } from "../../../scripts/deploy/target.js";
import { deployerTo, optionsOf, production } from "../../support/deployments.js";
import { FakeCloudflare } from "../../support/fake-cloudflare.js";

let fake: FakeCloudflare;

beforeEach(() => {
  fake = new FakeCloudflare();
  fake.subdomain = "acme";
});

const [first] = production.databases;
const further = { ...production, databases: [first, `${first}-01`] as const };

it("wrangler.toml gets another one behind those of its environment, and nothing else changes", () => {
  const before = readFileSync("wrangler.toml", "utf8");
  const once = withDatabase(before, "production");
  expect(once.name).toBe("conclave-production-01");
  const twice = withDatabase(once.toml, "production");
  expect(twice.name).toBe("conclave-production-02");
  const added = twice.toml
    .split("\n")
    .filter((line) => line.includes("DB_0") || line.includes("conclave-production-0"));
  expect(added).toEqual([
    'binding = "DB_01"',
    // The local environment has a second one, too.
    'binding = "DB_01"',
    'database_name = "conclave-production-01"',
    'binding = "DB_02"',
    'database_name = "conclave-production-02"',
  ]);
  const left = twice.toml.replace(/\n\[\[env\.production\.d1_databases\]\]\nbinding = "DB_0\d"\n.*\n.*\n/g, "");
  expect(left).toBe(before);
});

it("a deployment makes those that are missing, migrates each, and says where they lie", async () => {
  await deployerTo(fake).run("--yes --jurisdiction eu");
  const { run, printed } = deployerTo(fake);
  await run("--yes --jurisdiction us", further);
  expect([...fake.databases.values()].map(({ info }) => [info.name, info.jurisdiction])).toEqual([
    [first, "eu"],
    [`${first}-01`, "us"],
  ]);
  for (const { db } of fake.databases.values())
    expect(db.prepare("SELECT COUNT(*) AS n FROM d1_migrations").get()).toEqual({ n: production.migrations.length });
  expect(fake.variables.get("DATABASE_JURISDICTIONS")).toBe("0=eu,1=us");
  expect(printed.join("\n")).toMatch(/create +database +conclave-production-01 +bound to us/);
  // Once more: both are kept, and nobody has to say again where they lie.
  const again = deployerTo(fake);
  await again.run("--yes", further);
  expect(again.printed.join("\n")).toMatch(/keep +database +conclave-production-01/);
  expect(fake.variables.get("DATABASE_JURISDICTIONS")).toBe("0=eu,1=us");
});

it("asks where the new one lies, and comes to the same end wherever it is killed", async () => {
  await deployerTo(fake).run();
  await expect(deployerTo(fake).run("--yes", further)).rejects.toThrow("it has to be said where the database lies");
  const calls = fake.calls.length;
  const whole = deployerTo(fake);
  await whole.run("--yes --location weur", further);
  const needed = fake.calls.length - calls;
  expect(needed).toBeGreaterThan(10);
  for (let at = 5; at < needed; at += 12) {
    const one = new FakeCloudflare();
    one.subdomain = "acme";
    await deployerTo(one).run();
    const begun = one.calls.length;
    one.onCall = (number, when) => {
      if (number === begun + at && when === "after") throw new Error("killed");
    };
    await deployerTo(one)
      .run("--yes --location weur", further)
      .catch(() => undefined);
    one.onCall = () => undefined;
    await deployerTo(one).run("--yes --location weur", further);
    expect([...one.databases.values()].map(({ info }) => info.name)).toEqual([first, `${first}-01`]);
  }
});

it("doesn't go back to a version that isn't bound to a database in which tenants live", async () => {
  await deployerTo(fake).run("--yes --location weur", { ...production, tag: "0.2.0", version: "0.2.0" });
  await deployerTo(fake).run("--yes --location weur", { ...further, tag: "0.3.0", version: "0.3.0" });
  const releases = ["0.2.0", "0.3.0"].map((version) => ({
    ...{ version, readableFrom: "0.2.0", date: "2026-11-24", steps: [], migrations: 0, objects: [], callers: "" },
  }));
  const second = [...fake.databases.values()][1];
  const insert = "INSERT INTO tenants (tenant_id, name, settings, created_at) VALUES ('ten_d01_x', 'x', '{}', 0)";
  second?.db.prepare(insert).run();
  const back = () => deployerTo(fake).run("--yes --rollback", { ...further, tag: "0.3.0" }, releases);
  await expect(back()).rejects.toThrow("1 tenants live in conclave-production-01");
  second?.db.prepare("DELETE FROM tenants").run();
  await back();
});

it("tells the Worker who has moved, the last move counting, and goes back to no version that looks elsewhere", async () => {
  await deployerTo(fake).run("--yes --location weur", { ...further, tag: "0.2.0", version: "0.2.0" });
  const [one, two] = [...fake.databases.values()];
  const insert = "INSERT INTO moves (tenant_id, to_database, status, at) VALUES (?, ?, ?, ?)";
  one?.db.prepare(insert).run("ten_a", 1, "moved", 5);
  one?.db.prepare(insert).run("ten_b", 1, "leaving", 6);
  two?.db.prepare(insert).run("ten_a", 2, "copied", 7);
  two?.db.prepare(insert).run("ten_b", 1, "arriving", 7);
  await deployerTo(fake).run("--yes --location weur", { ...further, tag: "0.3.0", version: "0.3.0" });
  expect(fake.variables.get("MOVED_TENANTS")).toBe("ten_a=2");
  const releases = ["0.2.0", "0.3.0"].map((version) => ({
    ...{ version, readableFrom: "0.2.0", date: "2026-11-24", steps: [], migrations: 0, objects: [], callers: "" },
  }));
  const back = deployerTo(fake).run("--yes --rollback", { ...further, tag: "0.3.0" }, releases);
  await expect(back).rejects.toThrow("tenants have moved to another database since");
});

it("moves a tenant: copied, made known by a deployment, taken away; stopped anywhere and run again it goes on", async () => {
  const deployer = deployerTo(fake);
  await deployer.run("--yes --location weur", further);
  const [one] = [...fake.databases.values()];
  const known = () => fake.variables.get("MOVED_TENANTS") === "ten_a=1";
  const copying = ["copying", "copying"];
  const leaving = ["settling", "removing", "moved"];
  let asked = 0;
  fake.worker.move = () => {
    asked += 1;
    // The second call of each kind of state finds a Worker that is just being exchanged.
    if (asked === 2 || asked === 6) return { status: 503, body: { detail: "Try again." } };
    const status = copying.shift() ?? (known() ? leaving.shift() : "copied");
    if (status === "copied")
      one?.db
        .prepare("INSERT OR IGNORE INTO moves (tenant_id, to_database, status, at) VALUES (?, ?, ?, ?)")
        .run("ten_a", 1, "copied", 5);
    return { status: 200, body: { status, rows: 4_200, retryAfterSeconds: 1 } };
  };
  const move = () => moveTenant({ tenantId: "ten_a", to: 1 }, further, optionsOf("--yes"), deployer.ports);
  await expect(move()).rejects.toThrow("the Worker refused it (503): Try again.");
  await expect(move()).rejects.toThrow("503");
  expect(known()).toBe(true);
  await move();
  expect(leaving).toEqual([]);
  expect(deployer.printed.at(-1)).toBe("ten_a lives in database 1.");
  expect(deployer.printed.join("\n")).toContain("copied: 4200 rows.");
});

it("moves nobody without the deployment's secret, and only says what it would do where it is asked to", async () => {
  const deployer = deployerTo(fake);
  await deployer.run("--yes --location weur", further);
  const writes = fake.writes.length;
  await moveTenant({ tenantId: "ten_a", to: 1 }, further, optionsOf("--yes --dry-run"), deployer.ports);
  expect(deployer.printed.at(-1)).toContain("Nothing was sent.");
  await expect(
    moveTenant({ tenantId: "ten_a", to: 1 }, further, optionsOf("--yes"), deployerTo(fake).ports),
  ).rejects.toThrow("ADMIN_SECRET isn't known here");
  expect(fake.writes).toHaveLength(writes);
});
