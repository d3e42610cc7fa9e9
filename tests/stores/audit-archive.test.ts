/** Rows of the audit on their way out of their table: none is lost or doubled, whoever is interrupted, and both places read as one. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { archiveAudit } from "../../src/application/system/archive-audit.js";
import { warningsOf } from "../../src/application/system/check-health.js";
import { batch, type Database } from "../../src/platform/sql.js";
import { ArchivePages } from "../../src/stores/archive/archived-audit.js";
import { AuditArchive, forgetInArchive } from "../../src/stores/archive/audit-archive.js";
import type { Bucket } from "../../src/stores/archive/segment-reader.js";
import { auditSelection } from "../../src/stores/audit-filter.js";
import { AuditLog, insertResourceAct } from "../../src/stores/audit-log.js";
import type { AuditPosition } from "../../src/stores/audit-place.js";
import { deliverToD1 } from "../../src/stores/deliveries.js";
import type { AuditEntry } from "../../src/tenancy/audit.js";
import { newTenant, send } from "../support/conclave.js";
import { cutOff } from "../support/cut-off.js";

const { ARCHIVE: archived } = env;
if (archived === undefined) throw new Error("the local environment has a bucket");
const inR2: R2Bucket = archived;

const begun = Date.parse("2026-03-01T08:00:00Z");
const days = 86_400_000;
const step = { reasons: [], latencyMs: 1, mode: "enforce", beforeHash: "a", afterHash: "a", supervisor: "watch" };
const allowed = { action: "allow", ...step };
const stopped = { action: "block", ...step, rules: ["secrets"], reasons: ["no pelicans"] };
const judged = { action: "block", ...step, supervisor: "judge", reasons: ["the writer names an osprey"] };

/** A pass of a session as its outbox delivers it. */
function pass(id: number, at: number, steps: readonly object[] = [allowed], decision = "allow") {
  const reasons = decision === "allow" ? [] : ["no pelicans"];
  const body = { hook: "request", decision, reasons, degraded: [], steps, subject: { messageId: `msg_${id}` } };
  return { id, topic: "audit", payload: JSON.stringify({ workId: `trn_${id}`, hook: "request", decision, body, at }) };
}

interface Tried {
  readonly tenantId: string;
  readonly deliver: (messages: readonly ReturnType<typeof pass>[]) => Promise<void>;
}

/** 300 passes of two sessions within an hour, a few of them blocked, and acts of and about an end user. */
async function tenantWithRows(): Promise<Tried> {
  const { tenantId } = await newTenant();
  const deliver: Tried["deliver"] = (messages) => deliverToD1(env.DB, { tenantId, ownerId: "ses_1", messages });
  await deliver(
    Array.from({ length: 300 }, (_, at) => {
      const time = begun + at * 12_000;
      if (at % 50 === 7) return pass(at, time, [allowed, stopped], "block");
      return at % 50 === 9 ? pass(at, time, [judged], "block") : pass(at, time);
    }),
  );
  const by = { kind: "token", id: "tok_1", role: "user", subject: "ada heron" } as const;
  await batch(env.DB, [
    insertResourceAct(tenantId, "subject.revoked", { kind: "subjects", name: "ada heron" }, { by, at: begun + 5_000 }),
  ]);
  return { tenantId, deliver };
}

/** All there is, page by page. */
async function read(
  tenantId: string,
  filter: Parameters<typeof auditSelection>[1] = {},
  limit = 500,
): Promise<AuditEntry[]> {
  const log = new AuditLog(env.DB, async () => new ArchivePages(env.DB, inR2));
  // What the tenant's making has left is of today.
  const range = { from: 0, to: begun + 30 * days };
  const entries: AuditEntry[] = [];
  for (let after: AuditPosition | undefined, pages = 0; pages < 1_000; pages++) {
    const page = await log.page(tenantId, range, after, limit, auditSelection(tenantId, filter));
    // Its arrival number comes with being archived.
    entries.push(...page.entries.map(({ row: _row, ...entry }) => entry));
    after = page.next;
    if (after === undefined) return entries;
  }
  throw new Error("a list without an end");
}

/** Everything to R2 that is due, for this tenant alone: others share the database. */
async function archive({ tenantId }: Tried, at: number, db: Database = env.DB, bucket: Bucket = inR2) {
  const store = new AuditArchive(db, bucket);
  while (await store.pack(tenantId, at));
  while (await store.move(tenantId, at - 30 * days));
}

const countOf = async (tenantId: string, table: string): Promise<number> =>
  Number(await env.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE tenant_id = ?`).bind(tenantId).first("n"));

const filters = [
  {},
  { type: "supervision" },
  { type: "subject.revoked" },
  { decision: "block" },
  { decision: "allow" },
  { actor: "tok_1" },
  { subject: "ada heron" },
];

it("two supervisors on the same texts compare as they did, to the byte, once all of it is in R2", async () => {
  const tenant = await newTenant();
  const { tenantId } = tenant;
  const never = { match: { type: "phrases", phrases: ["pelican"] }, action: "block", reason: "No." };
  await tenant.rules("watch", [never]);
  await tenant.rules("next", [never], { mode: "shadow" });
  const said = (supervisor: string, action: string, n: number) => ({
    ...{ ...step, supervisor, action, version: 1, beforeHash: `${n}`, afterHash: `${n}` },
  });
  const messages = Array.from({ length: 200 }, (_, at) => {
    const steps = [said("watch", at < 30 ? "block" : "allow", at), said("next", "allow", at)];
    return pass(at, begun + at * 1_000, steps, at < 30 ? "block" : "allow");
  });
  for (const owner of ["ses_1", "ses_2"])
    await deliverToD1(env.DB, {
      tenantId,
      ownerId: owner,
      messages: messages.filter(({ id }) => (id % 2 === 0) === (owner === "ses_1")),
    });
  const range = `from=${new Date(begun).toISOString()}&to=${new Date(begun + 200_000).toISOString()}`;
  const path = `/v1/supervisors/next/comparison?with=watch&${range}`;
  const before = await tenant.call("GET", path);
  expect(before.body).toMatchObject({
    ...{ complete: true, rows: 200, unpaired: { supervisor: 0, with: 0 } },
    comparison: { pairs: [{ actions: { block: { allow: 30 }, allow: { allow: 170 } }, agreement: { share: 0.85 } }] },
  });
  expect(before.body.disagreements).toHaveLength(30);
  const markdown = await (await send("GET", `${path}&format=markdown`, { key: tenant.key })).text();

  await archive({ tenantId, deliver: async () => {} }, begun + days);
  await archive({ tenantId, deliver: async () => {} }, begun + 40 * days);
  expect(await countOf(tenantId, "audit_segments")).toBeGreaterThan(0);
  expect((await tenant.call("GET", path)).body).toEqual(before.body);
  expect(await (await send("GET", `${path}&format=markdown`, { key: tenant.key })).text()).toBe(markdown);
  expect(markdown).toContain("| block | 30 | 0 | 0 | 0 |");
});

it("they read as one list, in order, through each filter, in pages of any size: before, from segments in D1, and from R2", async () => {
  const tried = await tenantWithRows();
  const { tenantId } = tried;
  const before = await Promise.all(filters.map((filter) => read(tenantId, filter)));
  expect(before.map((entries) => entries.length)).toEqual([301, 300, 1, 12, 288, 1, 1]);
  const inTable = await countOf(tenantId, "audit");

  await archive(tried, begun + days);
  expect(inTable - (await countOf(tenantId, "audit"))).toBe(288);
  expect(await Promise.all(filters.map((filter) => read(tenantId, filter)))).toEqual(before);
  expect(await read(tenantId, {}, 40)).toEqual(before[0]);

  await archive(tried, begun + 31 * days);
  expect(
    await env.DB.prepare("SELECT COUNT(*) AS n FROM audit_segments WHERE tenant_id = ? AND body IS NOT NULL")
      .bind(tenantId)
      .first("n"),
  ).toBe(0);
  expect(inTable - (await countOf(tenantId, "audit"))).toBe(301);
  expect(await Promise.all(filters.map((filter) => read(tenantId, filter)))).toEqual(before);
  expect(await read(tenantId, { decision: "block" }, 5)).toEqual(before[3]);
});

it("the half-hourly work does it for all tenants, and without a bucket nothing leaves the database", async () => {
  const { tenantId } = await tenantWithRows();
  const before = await read(tenantId);
  const later = begun + 40 * days;
  await archiveAudit(later, { db: env.DB, auditArchive: async () => new AuditArchive(env.DB) });
  expect(await countOf(tenantId, "audit_segments")).toBeGreaterThan(0);
  const here = env.DB.prepare("SELECT COUNT(*) AS n FROM audit_segments WHERE tenant_id = ? AND body IS NOT NULL").bind(
    tenantId,
  );
  expect(await here.first("n")).toBe(await countOf(tenantId, "audit_segments"));
  expect(await read(tenantId)).toEqual(before);
  await archiveAudit(later, { db: env.DB, auditArchive: async () => new AuditArchive(env.DB, inR2) });
  expect(await here.first("n")).toBe(0);
  expect(await read(tenantId)).toEqual(before);
});

it("cut off before or after any call of the database or the bucket, and gone on with, nothing is lost or doubled", async () => {
  const tried = await tenantWithRows();
  const { tenantId } = tried;
  const before = await read(tenantId);
  let points = 0;
  for (let cut = 0; cut < 60; cut++) {
    const cutting = cutOff(cut);
    const db: Database = {
      prepare: (query) => env.DB.prepare(query),
      batch: <T>(statements: D1PreparedStatement[]) => cutting(() => env.DB.batch<T>(statements)),
    };
    const put: Bucket["put"] = (...args: Parameters<Bucket["put"]>) => cutting(() => inR2.put(...args));
    const bucket = {
      put,
      get: (key: string) => cutting(() => inR2.get(key)),
      delete: (keys: string | string[]) => inR2.delete(keys),
      list: (options?: R2ListOptions) => inR2.list(options),
    } as Bucket;
    const died = await archive(tried, begun + 31 * days, db, bucket).then(
      () => false,
      () => true,
    );
    if (died) points++;
    expect(await read(tenantId), `cut at ${cut}`).toEqual(before);
    if (!died) break;
  }
  expect(points).toBeGreaterThan(5);
  expect(await countOf(tenantId, "audit_segments")).toBe(1);
  const lines = await env.DB.prepare("SELECT rows FROM audit_segments WHERE tenant_id = ?")
    .bind(tenantId)
    .first("rows");
  expect(lines).toBe(before.length);
});

it("a row that is delivered again after it was archived stays one, and one that came late is archived, too", async () => {
  const tried = await tenantWithRows();
  const { tenantId, deliver } = tried;
  await archive(tried, begun + days);
  await deliver([pass(3, begun + 36_000), pass(900, begun + 36_500)]);
  const entries = await read(tenantId);
  expect(entries).toHaveLength(302);
  await archive(tried, begun + days + 1);
  await archive(tried, begun + 31 * days);
  expect(await read(tenantId)).toEqual(entries);
  const { results } = await env.DB.prepare("SELECT SUM(rows) AS n FROM audit_segments WHERE tenant_id = ?")
    .bind(tenantId)
    .all();
  expect(results).toEqual([{ n: 302 }]);
});

it("lines hold neither names of people nor words; who is erased is a reference to nobody from then on, and nothing else changes", async () => {
  const tried = await tenantWithRows();
  const { tenantId } = tried;
  const before = await read(tenantId);
  await archive(tried, begun + 31 * days);
  const { objects } = await inR2.list({ prefix: `audit/${tenantId}/` });
  let text = "";
  for (const { key } of objects) {
    const stored = await inR2.get(key);
    if (stored === null) throw new Error("it is listed");
    text += await new Response(stored.body.pipeThrough(new DecompressionStream("gzip"))).text();
  }
  expect(text.split("\n")).toHaveLength(302);
  expect(text).not.toMatch(/heron|osprey|pelican/);
  // Numbered by arrival, without a gap.
  const numbers = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).n]));
  expect(numbers).toEqual(numbers.map((_, at) => at));

  await batch(env.DB, forgetInArchive(tenantId, "ada heron", ["ses_1"]));
  const after = await read(tenantId);
  expect(JSON.stringify(after)).not.toMatch(/heron|osprey/);
  expect(after).toHaveLength(before.length);
  const revoked = after.find(({ type }) => type === "subject.revoked");
  expect(revoked).toMatchObject({ actor: { kind: "token", role: "user" }, decision: "revoked" });
  const blocked = after.filter(({ decision }) => decision === "block");
  // The reason of a stored rule is the tenant's own.
  expect(blocked[0]?.steps?.[1]).toMatchObject({ supervisor: "watch", reasons: ["no pelicans"] });
  expect(blocked[1]?.steps?.[0]).toMatchObject({ supervisor: "judge", reasons: ["[erased]"] });
});

it("a deleted tenant takes its objects along; /health warns where the database fills and nothing can leave it", async () => {
  const tried = await tenantWithRows();
  const { tenantId } = tried;
  await archive(tried, begun + 31 * days);
  const left = async (): Promise<number> => (await inR2.list({ prefix: `audit/${tenantId}/` })).objects.length;
  expect(await left()).toBe(1);
  await send("DELETE", `/v1/admin/tenants/${tenantId}`, { key: env.ADMIN_SECRET });
  expect(await left()).toBe(0);
  expect(await countOf(tenantId, "audit_people")).toBe(0);

  expect(warningsOf({ bytes: 6_100_000_000, canMove: false })).toEqual([expect.stringContaining("6.1 GB")]);
  expect(warningsOf({ bytes: 5_900_000_000, canMove: false })).toEqual([]);
  // With a bucket it ought to have gone there: whatever keeps it is told, too.
  const night = { gone: 100_000, most: 100_000 };
  expect(warningsOf({ bytes: 1, canMove: true, night })).toEqual([expect.stringContaining("100000 rows")]);
  expect(warningsOf({ bytes: 1, canMove: true, night: { ...night, gone: 99_999 } })).toEqual([]);
  expect(warningsOf({ bytes: 6_100_000_000, canMove: true })).toEqual([expect.stringContaining("audit.move_failed")]);
  expect(warningsOf({ bytes: 5_900_000_000, canMove: true })).toEqual([]);
});

it("rows go while others of them are moved or added to: none goes that wasn't due", async () => {
  const tried = await tenantWithRows();
  const { tenantId } = tried;
  const store = new AuditArchive(env.DB, inR2);
  const segments = async () =>
    (
      await env.DB.prepare("SELECT first, max_at, rows FROM audit_segments WHERE tenant_id = ? ORDER BY first")
        .bind(tenantId)
        .all<{ first: number; max_at: number; rows: number }>()
    ).results;
  await archive(tried, begun + days);
  await env.DB.prepare("UPDATE audit_segments SET digest = digest || ' ' WHERE tenant_id = ?").bind(tenantId).run();
  const [only] = await segments();
  // Read, and changed by somebody else before it goes.
  const changing: Database = {
    prepare: (query) => env.DB.prepare(query),
    batch: async <T>(statements: D1PreparedStatement[]) => {
      await env.DB.prepare("UPDATE audit_segments SET digest = trim(digest) WHERE tenant_id = ?").bind(tenantId).run();
      return env.DB.batch<T>(statements);
    },
  };
  await new AuditArchive(changing, inR2).retire(tenantId, begun + 10 * days);
  expect(await segments()).toEqual([only]);

  // The first of two goes while both are on their way to R2.
  const { rows } = only ?? { rows: 0 };
  await env.DB.prepare(
    `INSERT INTO audit_segments (tenant_id, first, rows, min_at, max_at, notable, digest, body)
      SELECT tenant_id, ?, rows, min_at, ?, notable, digest, body FROM audit_segments WHERE tenant_id = ?`,
  )
    .bind(rows, begun + 20 * days, tenantId)
    .run();
  const meanwhile: Bucket["put"] = async (...args: Parameters<Bucket["put"]>) => {
    const put = await inR2.put(...args);
    await env.DB.prepare("DELETE FROM audit_segments WHERE tenant_id = ? AND first = 0").bind(tenantId).run();
    return put;
  };
  const bucket = new Proxy(inR2, {
    get: (of, name) => (name === "put" ? meanwhile : Reflect.get(of, name).bind(of)),
  });
  await new AuditArchive(env.DB, bucket).move(tenantId, begun + 60 * days);
  expect(await segments()).toMatchObject([{ first: rows, rows }]);
  while (await store.move(tenantId, begun + 60 * days));
  expect(await segments()).toMatchObject([{ first: rows, rows }]);
});
