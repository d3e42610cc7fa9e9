/** Rows of the audit under seals: proven by an implementation of RFC 9162, from D1 and from R2, whoever dies and whoever is erased. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { sealAudits } from "../../src/application/system/archive-audit.js";
import { readCheckpoint } from "../../src/evidence/proof/checkpoint.js";
import { type Hash, isConsistent, isIncluded, leafHash } from "../../src/evidence/proof/merkle.js";
import { fromBase64 } from "../../src/platform/bytes.js";
import { createCheckpointSigner } from "../../src/platform/checkpoint-signer.js";
import type { Database } from "../../src/platform/sql.js";
import { batch } from "../../src/platform/sql.js";
import { AuditArchive, forgetInArchive } from "../../src/stores/archive/audit-archive.js";
import { AuditSeals } from "../../src/stores/archive/audit-seals.js";
import { sha256 } from "../../src/stores/archive/audit-tree.js";
import { retireSegments } from "../../src/stores/archive/retire-segments.js";
import type { Bucket } from "../../src/stores/archive/segment-reader.js";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import { newTenant, type TestTenant } from "../support/conclave.js";
import { cutOff } from "../support/cut-off.js";

const { ARCHIVE: archived } = env;
if (archived === undefined) throw new Error("the local environment has a bucket");
const inR2: R2Bucket = archived;

const begun = Date.parse("2026-03-01T08:00:00Z");
const days = 86_400_000;
const sign = createCheckpointSigner([env.SEALING_SECRET]);
const step = { action: "allow", reasons: [], latencyMs: 1, mode: "enforce", beforeHash: "a", afterHash: "a" };

/** So many passes of a session, a second apart; each 50th with a reason, and stopped. */
async function deliver({ tenantId }: TestTenant, count: number, from = 0): Promise<void> {
  const messages = Array.from({ length: count }, (_, index) => {
    const id = from + index;
    const at = begun + id * 1_000;
    const [decision, reasons] = id % 50 === 7 ? ["block", ["no pelicans"]] : ["allow", []];
    const steps = [{ ...step, action: decision, reasons, supervisor: "watch" }];
    const body = { hook: "request", decision, reasons, degraded: [], steps, subject: { messageId: `msg_${id}` } };
    return {
      id,
      topic: "audit",
      payload: JSON.stringify({ workId: `trn_${id}`, hook: "request", decision, body, at }),
    };
  });
  await deliverToD1(env.DB, { tenantId, ownerId: "ses_1", messages });
}

interface Where {
  readonly db?: Database;
  readonly bucket?: Bucket;
  readonly at?: number;
}

async function archive({ tenantId }: TestTenant, { db = env.DB, bucket = inR2, at = begun + days }: Where = {}) {
  const store = new AuditArchive(db, bucket);
  while (await store.pack(tenantId, at));
  while (await store.move(tenantId, at - 30 * days));
}

async function seal({ tenantId }: TestTenant, { db = env.DB, bucket = inR2, at = begun + days }: Where = {}) {
  const seals = new AuditSeals(db, sign, bucket);
  while (await seals.seal(tenantId, at));
}

const bytes = (base64: string): Hash => fromBase64(base64) ?? new Uint8Array();

/** Whether the row's proof, as the API gives it, holds. */
async function isProven(tenant: TestTenant, row: number, size?: number): Promise<boolean> {
  const query = size === undefined ? "" : `?size=${size}`;
  const { status, body } = await tenant.call("GET", `/v1/audit/rows/${row}/proof${query}`);
  expect([row, status]).toEqual([row, 200]);
  expect(JSON.parse(body.line).n).toBe(row);
  const { root, checkpoint } = body.seal;
  expect(readCheckpoint(checkpoint)).toMatchObject({ root, size: body.seal.size });
  const leaf = await leafHash(new TextEncoder().encode(body.line), sha256);
  return isIncluded({ index: row, size: body.seal.size, leaf, path: body.path.map(bytes), root: bytes(root) }, sha256);
}

const sealsOf = async (tenant: TestTenant) => (await tenant.call("GET", "/v1/audit/seals")).body.items;

it("each is proven under any later seal, and each seal's rows begin the next one's: in D1, and from R2", async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  await deliver(tenant, 300);
  expect((await tenant.call("GET", "/v1/audit/rows/0/proof")).status).toBe(404);
  await archive(tenant);
  await seal(tenant);
  await deliver(tenant, 4_000, 300);
  await archive(tenant, { at: begun + 2 * days });
  await seal(tenant, { at: begun + 2 * days });

  const [newest, first] = await sealsOf(tenant);
  expect([first.size, newest.size]).toEqual([300, 4_300]);
  const rows = [0, 7, 150, 299, 300, 1_023, 1_024, 4_095, 4_096, 4_299];
  const holdsAll = async () => {
    for (const row of rows) expect(await isProven(tenant, row)).toBe(true);
    for (const row of rows.filter((one) => one < 300)) expect(await isProven(tenant, row, 300)).toBe(true);
    const { body } = await tenant.call("GET", "/v1/audit/seals/300/consistency");
    const { from, to, path } = body;
    const [before, after] = [bytes(from.root), bytes(to.root)];
    expect([from, to]).toEqual([first, newest]);
    expect(await isConsistent({ from: 300, to: 4_300, path: path.map(bytes), before, after }, sha256)).toBe(true);
  };
  await holdsAll();
  const listed = await tenant.call("GET", "/v1/audit?format=json&decision=block&limit=1");
  expect(listed.body.items[0].row).toBe(7);

  // A person is erased, and rows go to R2: no line is another.
  const before = (await tenant.call("GET", "/v1/audit/rows")).body;
  await batch(env.DB, forgetInArchive(tenant.tenantId, "ada heron", ["ses_1"]));
  await archive(tenant, { at: begun + 60 * days });
  expect((await tenant.call("GET", "/v1/audit/rows")).body).toBe(before);
  await holdsAll();
  expect(String(before).trim().split("\n").length).toBe(4_300);
  const end = (await tenant.call("GET", "/v1/audit/rows?from=4298")).body;
  expect(String(end).match(/"n":\d+/g)).toEqual(['"n":4298', '"n":4299']);

  // What is kept no longer goes; what is left is proven as before, and sealing goes on.
  const ofFirst = begun + 4_150 * 1_000;
  while ((await retireSegments({ db: env.DB, bucket: inR2 }, tenant.tenantId, ofFirst)) > 0);
  expect((await tenant.call("GET", "/v1/audit/rows/0/proof")).body.detail).toContain("isn't kept");
  const [oldest] = String((await tenant.call("GET", "/v1/audit/rows")).body).split(",");
  expect(oldest).toBe('{"n":4096');
  for (const row of [4_096, 4_150, 4_299]) expect(await isProven(tenant, row)).toBe(true);
  await deliver(tenant, 20, 4_300);
  await archive(tenant, { at: begun + 61 * days });
  await seal(tenant, { at: begun + 61 * days });
  expect((await sealsOf(tenant))[0].size).toBe(4_320);
  while ((await retireSegments({ db: env.DB, bucket: inR2 }, tenant.tenantId, begun + 90 * days)) > 0);
  await deliver(tenant, 20, 100_000);
  await archive(tenant, { at: begun + 62 * days });
  await seal(tenant, { at: begun + 62 * days });
  expect(await isProven(tenant, 4_330)).toBe(true);

  expect((await tenant.call("GET", "/v1/audit/rows/4340/proof")).body.detail).toContain("rows 0 to 4339");
  expect((await tenant.call("GET", "/v1/audit/rows/4330/proof?size=12")).status).toBe(404);
  expect((await tenant.call("GET", "/v1/audit/seals/4320/consistency?to=300")).status).toBe(422);
  expect((await tenant.call("GET", "/v1/audit/rows?from=x")).status).toBe(422);
  expect((await other.call("GET", "/v1/audit/rows/0/proof")).status).toBe(404);
  expect(await sealsOf(other)).toEqual([]);
});

it("cut off before or after any call of the database, sealing comes to what it would have come to", async () => {
  const tenant = await newTenant();
  await deliver(tenant, 4_200);
  await archive(tenant);
  let points = 0;
  for (let cut = 0; cut < 40; cut++) {
    const cutting = cutOff(cut);
    const db: Database = {
      prepare: (query) => {
        const wrapped = (statement: D1PreparedStatement): D1PreparedStatement =>
          new Proxy(statement, {
            get: (of, name) => {
              if (name === "all") return () => cutting(() => of.all());
              if (name === "first") return () => cutting(() => of.first());
              if (name === "bind") return (...values: unknown[]) => wrapped(of.bind(...values));
              return Reflect.get(of, name);
            },
          });
        return wrapped(env.DB.prepare(query));
      },
      batch: (statements) => cutting(() => env.DB.batch(statements)),
    };
    await seal(tenant, { db }).catch(() => points++);
  }
  expect(points).toBeGreaterThan(3);
  await seal(tenant);
  await seal(tenant, { at: begun + 2 * days });
  const seals = await sealsOf(tenant);
  expect(seals.map(({ size }: { size: number }) => size)).toEqual([4_200]);
  expect(await isProven(tenant, 4_199)).toBe(true);
  const { body } = await tenant.call("GET", "/v1/limit-events");
  const told = body.items.filter(({ event }: { event: string }) => event === "audit.sealed");
  const { size, root, checkpoint, key } = seals[0];
  expect(told.map(({ data }: { data: object }) => data)).toEqual([{ size, root, checkpoint, key }]);
});

it("a line that was changed since is sealed over by nobody, and the others go on", async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  for (const one of [tenant, other]) {
    await deliver(one, 100);
    await archive(one);
    await seal(one);
    await deliver(one, 10, 100);
  }
  await env.DB.prepare(
    "UPDATE audit_segments SET body = (SELECT body FROM audit_segments WHERE tenant_id = ?2 AND first = 0) WHERE tenant_id = ?1",
  )
    .bind(tenant.tenantId, (await changedCopy()).tenantId)
    .run();
  for (const one of [tenant, other]) await archive(one);
  const seals = new AuditSeals(env.DB, sign, inR2);
  await expect(seals.seal(tenant.tenantId, begun)).rejects.toThrow(
    "of the 100 sealed lines of the audit one from 0 on is another",
  );
  const sealOn = (at: number) =>
    sealAudits(at, { db: env.DB, auditSeals: async () => seals, sendWebhookJobs: async () => {} });
  await sealOn(begun + days);
  expect((await sealsOf(tenant)).map(({ size }: { size: number }) => size)).toEqual([100]);
  await expect.poll(async () => (await sealsOf(other))[0].size).toBe(110);
  expect(await isProven(tenant, 50)).toBe(false);

  // It is told of once a day, and until then keeps nobody's turn.
  const due = async (at: number) => (await seals.due(1_000, at)).includes(tenant.tenantId);
  expect([await due(begun), await due(begun + days), await due(begun + 2 * days)]).toEqual([true, false, true]);
  await sealOn(begun + days);
  const failing = (await tenant.call("GET", "/v1/limit-events")).body.items.filter(
    ({ event }: { event: string }) => event === "job.failing",
  );
  expect(failing.map(({ data }: { data: object }) => data)).toEqual([
    { job: "seal", jobId: tenant.tenantId, reason: "unforeseen" },
  ]);
});

it("rows that go while one behind them is proven leave its proof whole", async () => {
  const tenant = await newTenant();
  await deliver(tenant, 300);
  // In R2, so that what follows is a segment of its own.
  await archive(tenant, { at: begun + 60 * days });
  await deliver(tenant, 100, 300);
  await archive(tenant);
  await seal(tenant);
  let goes = true;
  const db: Database = {
    prepare: (query) => {
      if (!query.includes("FROM audit_leaves")) return env.DB.prepare(query);
      const wrapped = (statement: D1PreparedStatement): D1PreparedStatement =>
        new Proxy(statement, {
          get: (of, name) => {
            if (name === "bind") return (...values: unknown[]) => wrapped(of.bind(...values));
            if (name !== "all") return Reflect.get(of, name);
            return async () => {
              const read = await of.all();
              if (goes) await retireSegments({ db: env.DB, bucket: inR2 }, tenant.tenantId, begun + 299_500);
              goes = false;
              return read;
            };
          },
        });
      return wrapped(env.DB.prepare(query));
    },
    batch: (statements) => env.DB.batch(statements),
  };
  const seals = new AuditSeals(db, sign, inR2);
  const proof = await seals.prove(tenant.tenantId, 350, 400);
  const [oldest] = String((await tenant.call("GET", "/v1/audit/rows")).body).split(",");
  expect([goes, oldest]).toEqual([false, '{"n":300']);
  expect(proof).toEqual(await new AuditSeals(env.DB, sign, inR2).prove(tenant.tenantId, 350, 400));
});

/** A tenant with the same rows but for their time. */
async function changedCopy(): Promise<TestTenant> {
  const tenant = await newTenant();
  await deliver(tenant, 100, 1);
  await archive(tenant);
  return tenant;
}

it("tenants are sealed in turn: who has new lines all the time keeps nobody waiting", async () => {
  const busy = [await newTenant(), await newTenant(), await newTenant()];
  const quiet = await newTenant();
  const seals = new AuditSeals(env.DB, sign, inR2);
  // Whatever else waits is as if it had come before.
  await env.DB.prepare("UPDATE audit_archive SET unsealed_since = 0").run();
  const sealed = async (): Promise<number> => (await sealsOf(quiet)).length;
  const [limit, waiting] = [2, (await seals.due(1_000, begun)).length];
  const rounds = Math.ceil((waiting + busy.length + 1) / limit);
  for (let round = 0; round <= rounds; round++) {
    const at = begun + (round + 1) * days;
    for (const one of [...busy, ...(round === 0 ? [quiet] : [])]) {
      await deliver(one, 1, round * 1_000);
      await archive(one, { at });
    }
    for (const tenantId of await seals.due(limit, at)) {
      await seals.seal(tenantId, at).catch(() => undefined);
      await seals.waitAgain(tenantId, at);
    }
  }
  expect(await sealed()).toBe(1);
});
