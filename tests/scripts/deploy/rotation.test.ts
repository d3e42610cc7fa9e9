/** `npm run rotate` against a deployment whose isolates learn of new secrets one after another: stopped anywhere and run again it comes to the same end. */
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, it } from "vitest";
import type { Ports } from "../../../scripts/deploy/ports.js";
import { rotate } from "../../../scripts/deploy/rotation.js";
import { sealingKeyId } from "../../../src/platform/secrets.js";

const old = "the-old-secret-of-more-than-thirty-two-characters";
const admin = "the-admin-secret-of-more-than-thirty-two-characters";
const now = Date.UTC(2026, 10, 24, 12);
const day = 86_400_000;
type Secrets = Readonly<Record<string, string>>;

/** A deployment of two isolates: one has the newest secrets, the other learns of them three looks later. */
class FakeDeployment {
  readonly folder = mkdtempSync(join(tmpdir(), "conclave-rotation-"));
  readonly file = join(this.folder, "secrets.production.env");
  readonly printed: string[] = [];
  isolates: [Secrets, Secrets] = [{ SEALING_SECRET: old }, { SEALING_SECRET: old }];
  begunAt: number | undefined;
  /** At its so manieth call from outside the command is killed. */
  diesAt = Number.POSITIVE_INFINITY;
  private calls = 0;
  private looks = 0;
  private slices = 0;

  constructor() {
    writeFileSync(this.file, `# Keep this.\nADMIN_SECRET=${admin}\nSEALING_SECRET=${old}\n`, { mode: 0o600 });
  }

  run(at = now, options = {}): Promise<boolean> {
    this.calls = 0;
    return rotate({ environment: "production", address: "https://x.test", now: false, ...options }, at, this.ports);
  }

  get values(): Record<string, string | undefined> {
    return parseEnv(readFileSync(this.file, "utf8"));
  }

  private readonly ports: Ports = {
    fetch: async (input, init) => {
      this.call();
      const url = String(input);
      if (url.endsWith("/v1/admin/reseal")) {
        expect(new Headers(init?.headers).get("authorization")).toBe(`Bearer ${admin}`);
        this.begunAt ??= now;
        this.slices += 1;
        return Response.json({ status: this.slices % 2 === 0 ? "finished" : "running", resealed: 7, unopened: 0 });
      }
      this.looks += 1;
      if (this.looks % 3 === 0) this.isolates = [this.isolates[0], this.isolates[0]];
      const { SEALING_SECRET = "", SEALING_SECRET_PREVIOUS } = this.isolates[this.looks % 2] ?? {};
      if (SEALING_SECRET_PREVIOUS === undefined) return Response.json({ status: "ok" });
      const otherKeyUntil = new Date((this.begunAt ?? now) + day).toISOString();
      const reseal = this.begunAt === undefined ? {} : { reseal: { status: "finished", otherKeyUntil } };
      const keys = { key: await sealingKeyId(SEALING_SECRET), otherKey: await sealingKeyId(SEALING_SECRET_PREVIOUS) };
      return Response.json({ status: "ok", sealing: { ...keys, ...reseal } });
    },
    wrangler: async (args) => {
      this.call();
      const [, action, name = ""] = args;
      const given: Secrets = action === "bulk" ? JSON.parse(readFileSync(name, "utf8")) : {};
      const changed = { ...this.isolates[0], ...given };
      if (action === "delete") delete changed[name];
      this.roll(changed);
      return { status: 0, output: "" };
    },
    ask: async () => undefined,
    print: (line) => void this.printed.push(line),
    wait: async () => undefined,
    environment: {},
    folder: this.folder,
  };

  /** The isolates of before go on beside the new ones: each has to open what the other seals. */
  private roll(fresh: Secrets): void {
    const opened = (secrets: Secrets) => [secrets["SEALING_SECRET"], secrets["SEALING_SECRET_PREVIOUS"]];
    for (const before of this.isolates) {
      expect(opened(before)).toContain(fresh["SEALING_SECRET"]);
      // What the old secret sealed was sealed anew before it goes.
      if (this.begunAt === undefined) expect(opened(fresh)).toContain(before["SEALING_SECRET"]);
    }
    this.isolates = [fresh, this.isolates[0]];
  }

  private call(): void {
    this.calls += 1;
    if (this.calls === this.diesAt) throw new Error("killed");
  }
}

it("makes the next secret known, exchanges the two, seals everything anew, and takes the old one away a day later", async () => {
  const deployment = new FakeDeployment();
  expect(await deployment.run()).toBe(false);
  const { SEALING_SECRET: fresh = "", SEALING_SECRET_PREVIOUS } = deployment.values;
  expect(SEALING_SECRET_PREVIOUS).toBe(old);
  expect(fresh.length).toBeGreaterThanOrEqual(32);
  expect(deployment.printed.at(-1)).toContain("run this again");
  expect(await deployment.run(now + day - 1)).toBe(false);
  expect(await deployment.run(now + day)).toBe(true);
  expect(deployment.isolates).toEqual([{ SEALING_SECRET: fresh }, { SEALING_SECRET: fresh }]);
  expect(deployment.values).toEqual({ ADMIN_SECRET: admin, SEALING_SECRET: fresh });
  expect(readFileSync(deployment.file, "utf8")).toContain("# Keep this.");
  expect(statSync(deployment.file).mode & 0o777).toBe(0o600);
  expect(deployment.printed.join("\n")).not.toContain(fresh);
});

it("killed at each call and run again it comes to the same end, with one new secret", async () => {
  for (let diesAt = 1; diesAt < 60; diesAt++) {
    const deployment = new FakeDeployment();
    deployment.diesAt = diesAt;
    await deployment.run().catch(() => undefined);
    const begun = deployment.values["SEALING_SECRET_NEXT"] ?? deployment.values["SEALING_SECRET"];
    deployment.diesAt = Number.POSITIVE_INFINITY;
    await deployment.run();
    deployment.diesAt = diesAt;
    await deployment.run(now + day).catch(() => undefined);
    deployment.diesAt = Number.POSITIVE_INFINITY;
    if (deployment.values["SEALING_SECRET_PREVIOUS"] !== undefined) expect(await deployment.run(now + day)).toBe(true);
    const { SEALING_SECRET: fresh = "" } = deployment.values;
    expect(deployment.values, `killed at ${diesAt}`).toEqual({ ADMIN_SECRET: admin, SEALING_SECRET: fresh });
    expect(deployment.isolates[0]).toEqual({ SEALING_SECRET: fresh });
    if (diesAt > 1) expect(fresh).toBe(begun);
  }
});

it("with --now the old secret goes as soon as everything is sealed anew", async () => {
  expect(await new FakeDeployment().run(now, { now: true })).toBe(true);
});

it("a file that is another deployment's is refused, and says what to take away", async () => {
  const deployment = new FakeDeployment();
  const other = { SEALING_SECRET: "another-deployments-secret-of-forty-characters" };
  deployment.isolates = [other, other];
  await expect(deployment.run()).rejects.toThrow("wrangler secret delete SEALING_SECRET_PREVIOUS");
  expect(deployment.values["SEALING_SECRET"]).toBe(old);
});
