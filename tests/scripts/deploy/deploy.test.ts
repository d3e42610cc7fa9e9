import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { deployerTo, production } from "../../support/deployments.js";
import { FakeCloudflare } from "../../support/fake-cloudflare.js";

let fake: FakeCloudflare;

beforeEach(() => {
  fake = new FakeCloudflare();
  fake.subdomain = "acme";
});

/** What a deployment has to come to, whatever happened on the way. */
function expectDeployed(account: FakeCloudflare): void {
  expect([...account.databases.values()].map(({ info }) => info.name)).toEqual(["conclave-production"]);
  expect(account.queues.map((queue) => queue.queue_name).sort()).toEqual([...production.queues].sort());
  expect(account.queues.map(({ consumers }) => consumers.length)).toEqual([1, 1, 1]);
  expect([...account.secrets.keys()].sort()).toEqual(["ADMIN_SECRET", "SEALING_SECRET"]);
  const [database] = [...account.databases.values()];
  expect(
    database?.db
      .prepare("SELECT name FROM d1_migrations")
      .all()
      .map(({ name }) => name),
  ).toEqual(production.migrations);
  expect(account.worker.tenants.map(({ name }) => name)).toEqual(["first"]);
  expect([...account.worker.resources].sort()).toEqual([
    "agents/assistant",
    "supervisors/guardrails",
    "supervisors/injection",
    "supervisors/links",
  ]);
  expect(account.worker.messages).toBeGreaterThan(0);
  expect(account.unknown).toEqual([]);
}

describe("a deployment to an empty account", () => {
  it("makes everything, migrates before it uploads, and ends with a supervised message and a key", async () => {
    const { run, printed } = deployerTo(fake);
    await run();
    expectDeployed(fake);
    const migrated = fake.writes.findLastIndex((write) => write.endsWith("/query"));
    const uploaded = fake.writes.findIndex((write) => write.startsWith("PUT /workers/scripts"));
    expect(migrated).toBeLessThan(uploaded);
    const said = printed.join("\n");
    expect(said).toContain("create  queue       conclave-flushes-dead-production");
    expect(said).toContain("The model was shown: My card is [card].");
    expect(said).toContain("https://conclave-production.acme.workers.dev runs version");
    expect(said).toContain("cnk_1");
  });

  it("keeps the secrets in a file that only its owner reads, and prints none of them", async () => {
    const { run, printed, folder } = deployerTo(fake);
    await run();
    const file = join(folder, "secrets.production.env");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const sealing = fake.secrets.get("SEALING_SECRET") ?? "";
    expect(readFileSync(file, "utf8")).toContain(`SEALING_SECRET=${sealing}`);
    expect(printed.join("\n")).not.toContain(sealing);
    expect(printed.join("\n")).toContain("secrets.production.env");
    expect(existsSync(join(folder, ".wrangler/sent-production.json"))).toBe(false);
    expect(statSync(join(folder, ".wrangler/first-tenant-production.json")).mode & 0o777).toBe(0o600);
  });

  it("writes nothing with --dry-run, and says what it would do, what that bills and what it would ask", async () => {
    fake.subdomain = undefined;
    const { run, printed, folder, asked } = deployerTo(fake, ["eu"]);
    await run("--dry-run");
    expect(fake.writes).toEqual([]);
    expect(existsSync(join(folder, "secrets.production.env"))).toBe(false);
    expect(asked).toEqual([]);
    const said = printed.join("\n");
    expect(said).toContain("create  database    conclave-production");
    expect(said).toContain("$0.40 a million operations");
    expect(said).toContain("Asked before: where the database lies, for good");
    expect(said).toContain("Asked before: the account's name below workers.dev");
  });

  it("makes the bucket that wrangler.toml names, under the law of the database, once", async () => {
    const archive = { ...production, bucket: { name: "archive", jurisdiction: "eu" } };
    const { run, printed } = deployerTo(fake);
    await expect(run("--yes --location weur", archive)).rejects.toThrow("leave jurisdiction away");
    expect(fake.writes).toEqual([]);
    await run("--yes --jurisdiction eu", archive);
    expect([...fake.buckets]).toEqual([["archive", "eu"]]);
    expect(printed.join("\n")).toContain("create  bucket      archive");
    await run("--yes", archive);
    expect(fake.writes.filter((write) => write === "POST /r2/buckets")).toHaveLength(1);
    expectDeployed(fake);
    await expect(run("--yes", { ...production, bucket: { name: "archive" } })).rejects.toThrow('jurisdiction = "eu"');

    // What runs keeps rows in it.
    fake.buckets.clear();
    await expect(run("--yes", archive)).rejects.toThrow("isn't there any more");
  });

  it("refuses a bucket where the account has no R2, and says what to do, before anything is made", async () => {
    fake.hasR2 = false;
    const { run } = deployerTo(fake);
    await expect(run("--yes --location auto", { ...production, bucket: { name: "archive" } })).rejects.toThrow(
      "this account has no R2 yet",
    );
    expect(fake.writes).toEqual([]);
    await run();
    expectDeployed(fake);
  });

  it("asks where the database lies, who signs in and for consent, once each, and nothing is written before", async () => {
    const refused = deployerTo(fake, ["eu", "", "n"]);
    await expect(refused.run("")).rejects.toThrow("you didn't agree");
    expect(fake.writes).toEqual([]);
    fake.worker.people = new Set();
    const agreed = deployerTo(fake, ["eu", "ana@example.com", "y"]);
    await agreed.run("");
    expect(agreed.asked).toHaveLength(3);
    expect(agreed.printed.at(-1)).toContain("/console/join#code");
    expect([...fake.databases.values()][0]?.info.jurisdiction).toBe("eu");
    const again = deployerTo(fake, ["y"]);
    await again.run("");
    expect(again.asked).toEqual(["Do it? [y/N] "]);
  });

  it.each([
    ["", "it has to be said where the database lies"],
    ["--location weur", "nobody is there to agree"],
    ["--yes", "Give --jurisdiction eu, --location weur or --location auto"],
  ])("refuses to guess where nobody can be asked: %j", async (args, reason) => {
    const { run } = deployerTo(fake);
    await expect(run(args)).rejects.toThrow(reason);
    expect(fake.writes).toEqual([]);
  });

  it("takes the account's name below workers.dev where it has none, or a domain", async () => {
    fake.subdomain = undefined;
    await expect(deployerTo(fake).run()).rejects.toThrow("--subdomain <name>");
    await deployerTo(fake).run("--yes --location weur --subdomain acme");
    expect(fake.subdomain).toBe("acme");
  });

  it("invites the first person where the version knows people", async () => {
    fake.worker.people = new Set();
    const { run, printed } = deployerTo(fake);
    await run("--yes --location weur --email ana@example.com");
    expect([...fake.worker.people]).toEqual(["ana@example.com"]);
    expect(printed.at(-1)).toContain("/console/join#code");
    expect(printed.join("\n")).not.toContain("cnk_1");
  });

  it("prints the key where there is no console, and never again", async () => {
    fake.worker.people = new Set();
    fake.worker.hasConsole = false;
    const { run, printed } = deployerTo(fake);
    await run("--yes --location weur --email ana@example.com");
    expect(printed.at(-1)).toContain("cnk_1");
    printed.length = 0;
    await run("--yes");
    expect(printed.join("\n")).not.toContain("cnk_1");
    expect(printed.at(-1)).toContain("first-tenant-production.json");
  });

  it("takes secrets from a file that is named, and adds those that wrangler.toml doesn't ask for", async () => {
    const { run, folder } = deployerTo(fake);
    const file = join(folder, "mine.json");
    const mine = { ADMIN_SECRET: "a".repeat(40), SEALING_SECRET: "$".repeat(40), OPENAI_API_KEY: "sk-1" };
    writeFileSync(file, JSON.stringify(mine));
    await run(`--yes --location weur --secrets-file ${file}`);
    expect(Object.fromEntries(fake.secrets)).toEqual(mine);
  });

  it("refuses a secret that is too short, before anything is written", async () => {
    const { run, folder } = deployerTo(fake);
    writeFileSync(join(folder, "secrets.production.env"), "ADMIN_SECRET=short\n");
    await expect(run()).rejects.toThrow("ADMIN_SECRET in");
    expect(fake.writes).toEqual([]);
  });
});

describe("a deployment that is killed and run again", () => {
  it.each(["before", "after"] as const)(
    "comes to the same end: %s any call",
    async (moment) => {
      const whole = deployerTo(fake);
      await whole.run();
      const { calls } = fake;
      expect(calls.length).toBeGreaterThan(50);
      // Amid migrations one moment is as the next: of calls that are all the same, the first and the last.
      const moments = calls.flatMap((call, at) => (call === calls[at - 1] && call === calls[at + 1] ? [] : [at + 1]));
      for (const at of moments) {
        const account = new FakeCloudflare();
        account.subdomain = "acme";
        account.onCall = (number, when) => {
          if (number >= at && when === moment) throw new Error("killed");
        };
        const { run, printed } = deployerTo(account);
        await expect(run()).rejects.toThrow();
        account.onCall = () => undefined;
        await run();
        expectDeployed(account);
        expect(printed.at(-1), `killed ${moment} call ${at}`).toContain("cnk_1");
      }
      // Dozens of deployments: on a busy machine they take their time.
    },
    240_000,
  );
});

describe("a later deployment", () => {
  beforeEach(() => deployerTo(fake).run());

  it("keeps what is there, applies what is missing and leaves tenants alone, whoever runs it", async () => {
    const secrets = Object.fromEntries(fake.secrets);
    fake.calls.length = 0;
    const { run, printed } = deployerTo(fake);
    await run("--yes", { ...production, version: "0.1.1", tag: "0.1.1" });
    expectDeployed(fake);
    expect(Object.fromEntries(fake.secrets)).toEqual(secrets);
    expect(printed.join("\n")).toContain("keep    database    conclave-production");
    expect(printed.join("\n")).toContain(`version 0.1.1, in place of ${production.tag}`);
    expect(printed.at(-1)).toContain("no ADMIN_SECRET is known here");
  });

  it("reads every page of a list: what stands on the second isn't made again", async () => {
    fake.queuesPerPage = 2;
    const { run, printed } = deployerTo(fake);
    await run("--yes");
    expect(printed.join("\n")).not.toContain("create  queue");
  });

  it("refuses to replace a newer version: that is what a rollback is for", async () => {
    await deployerTo(fake).run("--yes", { ...production, version: "0.9.0", tag: "0.9.0" });
    await expect(deployerTo(fake).run("--yes")).rejects.toThrow("production runs 0.9.0, which is newer than");
  });

  it("leaves an exchange of the sealing secret that is under way alone, and sends what was added to the file", async () => {
    const { run, folder } = deployerTo(fake);
    const kept = [...fake.secrets].map(([name, value]) => `${name}=${value}\n`);
    const added = [
      `SEALING_SECRET_NEXT=${"n".repeat(40)}\n`,
      `SEALING_SECRET_PREVIOUS=${"p".repeat(40)}\n`,
      "OPENAI_API_KEY=sk-1\n",
    ];
    writeFileSync(join(folder, "secrets.production.env"), [...kept, ...added].join(""));
    await run("--yes");
    expect([...fake.secrets.keys()].sort()).toEqual(["ADMIN_SECRET", "OPENAI_API_KEY", "SEALING_SECRET"]);
  });

  it("says what new secrets do to what was sealed", async () => {
    const { run, folder, printed } = deployerTo(fake);
    const file = join(folder, "mine.env");
    writeFileSync(file, `ADMIN_SECRET=${"a".repeat(40)}\nSEALING_SECRET=${"s".repeat(40)}\n`);
    await run(`--dry-run --secrets-file ${file}`);
    expect(printed.join("\n")).toContain("what was sealed under another SEALING_SECRET can't be read then");
  });

  it("refuses to move the database, or to take a domain away from another Worker", async () => {
    await expect(deployerTo(fake).run("--yes --jurisdiction eu")).rejects.toThrow("can't move to eu");
    const taken = { id: "d", cert_id: "c", environment: "production", zone_id: "z", zone_name: "acme.com" };
    fake.domains.push({ ...taken, hostname: "api.acme.com", service: "shop" });
    await expect(deployerTo(fake).run("--yes --domain api.acme.com")).rejects.toThrow('the Worker "shop"');
  });

  it("goes on with the domain that an earlier one has made", async () => {
    await deployerTo(fake).run("--yes --domain chat.acme.com");
    const { run, printed } = deployerTo(fake);
    await run("--yes");
    expect(printed.join("\n")).toContain("keep    domain      chat.acme.com");
    expect(printed.at(-1)).toContain("https://chat.acme.com runs version");
  });

  it("refuses new secrets where tenants have sealed something and the Worker that knew them is gone", async () => {
    fake.versions.length = 0;
    fake.secrets.clear();
    await expect(deployerTo(fake).run("--yes")).rejects.toThrow("--secrets-file <file>");
  });
});

it("asks wrangler who is signed in where the environment says nobody", async () => {
  const { ports, run } = deployerTo(fake);
  Object.assign(ports.environment, { CLOUDFLARE_API_TOKEN: undefined });
  await expect(run()).rejects.toThrow("npx wrangler login");
  const login = { type: "oauth", token: "token" };
  Object.assign(ports, { wrangler: async () => ({ status: 0, output: `a banner\n${JSON.stringify(login)}\n` }) });
  await run("--dry-run");
  expect(fake.calls.length).toBeGreaterThan(0);
});

it("says which permission a token lacks", async () => {
  const { ports, run } = deployerTo(fake);
  Object.assign(ports.environment, {
    CLOUDFLARE_API_TOKEN: "wrong",
    CLOUDFLARE_ACCOUNT_ID: "acc0000000000000000000000000000f",
  });
  await expect(run()).rejects.toThrow("The token needs to edit Workers Scripts, D1 and Queues");
});
