/** A tenant that goes to another database: cut off anywhere it goes on, nothing is lost or doubled, and callers go on with what they hold. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { authenticateSession, signInByLink } from "../../src/application/people/sign-in.js";
import { moveTenant } from "../../src/application/tenants/move-tenant.js";
import { composeServices } from "../../src/composition/services.js";
import type { Database } from "../../src/platform/sql.js";
import { keptTables, movedTables } from "../../src/stores/moved-tables.js";
import { TenantMoves } from "../../src/stores/tenant-moves.js";
import { deploymentActor } from "../../src/tenancy/actor.js";
import { expectProblem } from "../http/support.js";
import { auditOf } from "../support/audit.js";
import { newTenant, send, TestTenant } from "../support/conclave.js";
import { secondDatabase } from "../support/databases.js";
import { eventually } from "../support/eventually.js";
import { runEachMinute, runHousekeeping } from "../support/housekeeping.js";
import { newMemory } from "../support/memory.js";

const admin = new TestTenant("", env.ADMIN_SECRET);
type Row = Record<string, unknown>;

it("every table is moved, or stays for a reason", async () => {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'entry_index_%'
      AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT IN ('d1_migrations', 'entry_vocab')`,
  ).all<{ name: string }>();
  const known = [...movedTables.map(({ name }) => name), ...keptTables];
  expect(known.toSorted()).toEqual(results.map(({ name }) => name).toSorted());
});

/** Whatever a tenant has, table by table, without numbers that are others in each database. */
async function rowsOfTenant(db: D1Database, tenantId: string): Promise<Record<string, Row[]>> {
  const memories = "SELECT key FROM memories WHERE tenant_id = ?";
  const found = movedTables.map(async ({ name, of, key, numbers = {} }) => {
    const which = {
      scope: "scope = ?",
      memory_key: `memory_key IN (${memories})`,
      entry_key: `entry_key IN (SELECT key FROM entries WHERE memory_key IN (${memories}))`,
    };
    const where = of === undefined ? "tenant_id = ?" : which[of];
    const query = `SELECT * FROM ${name} WHERE ${where} ORDER BY ${key.join(", ")}`;
    const { results } = await db.prepare(query).bind(tenantId).all<Row>();
    const others = new Set([...Object.keys(numbers), ...(name === "erasures" ? ["seq"] : [])]);
    if (name === "tenants") for (const one of ["revision", "generation"]) others.add(one);
    if (name === "inboxes") others.add("version");
    if (name === "entries") others.add("index_terms");
    return [
      name,
      results.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !others.has(column)))),
    ] as const;
  });
  return Object.fromEntries((await Promise.all(found)).filter(([, rows]) => rows.length > 0));
}

const link = (body: { link: string }) => body.link.split("#")[1] ?? "";

/** Something of nearly everything. */
async function full() {
  const tenant = await newTenant();
  const memory = await newMemory("offline", tenant);
  await memory.say(["The ferry leaves at noon.", "Noted."]);
  await memory.say(["The heron stands in the reeds.", "Noted."]);
  await memory.settled();
  const path = `/v1/memories/${memory.memoryId}`;
  const add = async (rawEntry: string) => (await tenant.call("POST", `${path}/entries`, { rawEntry })).body.entryId;
  const corrected = await add("Her dog is Rex.");
  await tenant.call("POST", `${path}/entries/${corrected}/corrections`, { rawEntry: "Her dog is Max." });
  await tenant.call("DELETE", `${path}/entries/${await add("A secret.")}`);
  await tenant.agent("assistant");
  const session = await tenant.session({ agent: "assistant", externalId: "order-7", subject: "ida" });
  await tenant.put("webhooks", "crm", {
    url: "https://crm.example/hook",
    events: ["memory.entry_added", "turn.completed"],
  });
  const telegram = { kind: "telegram", agent: "assistant", credentials: { botToken: "1:a", secretToken: "s3cret" } };
  const channel = (await tenant.put("channels", "bot", telegram)).body;
  await tenant.put("limits", "day", { per: "tenant", measure: "turns", max: 100, window: "day" });
  await tenant.put("holds", "case", { subjects: ["bo"], reason: "A dispute." });
  await tenant.put("secrets", "SHOP", { value: "s3cret-value" });
  const [ada, bo] = await Promise.all(
    ["Ada", "Bo"].map(async (name) => {
      const person = { name, email: `${name}@example.com`, role: "admin" };
      return (await tenant.call("POST", "/v1/people", person)).body;
    }),
  );
  const signedIn = await signInByLink(link(ada), "", composeServices(env));
  const { token } = (await tenant.call("POST", "/v1/tokens", { subject: "ida" })).body;
  const services = composeServices(env);
  const later = Date.now() + 3_600_000;
  while (await (await services.auditArchive()).pack(tenant.tenantId, later));
  while (await (await services.auditSeals()).seal(tenant.tenantId, later));
  return { tenant, path, session, channel, signedIn, link: link(bo), token };
}

/** As a version that is deployed with this. */
async function deployed<T>(moved: string, work: () => Promise<T>): Promise<T> {
  Reflect.set(env, "MOVED_TENANTS", moved);
  try {
    return await work();
  } finally {
    Reflect.set(env, "MOVED_TENANTS", "");
  }
}

const move = (tenantId: string, at = Date.now()) =>
  moveTenant(deploymentActor, { tenantId, move: { to: 1 } }, composedAt(at));

function composedAt(at: number) {
  const services = composeServices(env);
  const moves = (database: number) => async () => new TenantMoves(database === 1 ? secondDatabase() : env.DB, () => at);
  const later = (of: typeof services): typeof services => ({
    ...of,
    now: () => at,
    moves: moves(of.database),
    at: (database) => later(services.at(database)),
  });
  return later(services);
}

it("copies every row once, wherever it is cut off, and refuses changes meanwhile", async () => {
  const { tenant, session } = await full();
  const { tenantId } = tenant;
  await runHousekeeping();
  const other = await newTenant();
  const moves = new TenantMoves(env.DB, Date.now);
  expect(await moves.begin(tenantId, 1)).toBeUndefined();
  expect(await moves.begin(other.tenantId, 1)).toBe(tenantId);
  const before = await rowsOfTenant(env.DB, tenantId);
  expect(Object.keys(before).length).toBeGreaterThan(20);

  const refused = await tenant.call("GET", `/v1/sessions/${session}`);
  expectProblem(refused, "unavailable");
  expect(refused.headers.get("retry-after")).toBe("5");
  for (const work of [() => env.DB.prepare("UPDATE sessions SET agent = 'x' WHERE tenant_id = ?").bind(tenantId).run()])
    await expect(work()).rejects.toThrow("tenant_is_moving");
  expectProblem(await admin.call("PATCH", `/v1/admin/tenants/${tenantId}`, { name: "x" }), "unavailable");
  expect((await other.call("PUT", "/v1/rules/own", { text: "Be kind." })).status).toBe(201);

  // Each page is cut off before it is stored and behind it.
  let cuts = 0;
  for (let isWhole = false; !isWhole; ) {
    const cut = new Cut(secondDatabase(), cuts++ % 3);
    isWhole = await moves.copy(tenantId, cut).then(
      (copied) => copied.isWhole,
      (error) => {
        expect(String(error)).toContain("cut off");
        return false;
      },
    );
    if (cuts === 20 || cuts === 70) await runEachMinute();
  }
  expect(cuts).toBeGreaterThan(60);
  expect(await rowsOfTenant(secondDatabase(), tenantId)).toEqual(before);
  expect(await rowsOfTenant(env.DB, tenantId)).toEqual(before);
  await moves.become(tenantId, "moved");
});

/** A database to which the connection breaks: at its first batch, before (1) or after (2) it is done. */
class Cut implements Database {
  constructor(
    private readonly db: D1Database,
    private readonly how: number,
  ) {}
  prepare(query: string) {
    return this.db.prepare(query);
  }
  async batch<T = unknown>(statements: D1PreparedStatement[]) {
    if (this.how === 1) throw new Error("cut off before");
    const done = await this.db.batch<T>(statements);
    if (this.how === 2) throw new Error("cut off behind");
    return done;
  }
}

it("keys, tokens, links, sessions of people, addresses and ids go on working where it lives then", async () => {
  const { tenant, path, session, channel, signedIn, link: open, token } = await full();
  const { tenantId } = tenant;
  const before = {
    entries: (await tenant.call("GET", `${path}/entries`)).body,
    found: (await tenant.call("POST", `${path}/search`, { query: "heron" })).body.entries.length,
    audit: await auditOf(tenant),
    seals: (await tenant.call("GET", "/v1/audit/seals")).body,
  };
  expect(before.found).toBeGreaterThan(0);
  expect(await move(tenantId)).toMatchObject({ status: "copied", from: 0, to: 1 });
  expect(await move(tenantId)).toMatchObject({ status: "copied" });
  const moved = `${tenantId}=1`;
  const ida = new TestTenant(tenantId, token);
  const works = async () => {
    expect((await tenant.call("GET", `/v1/sessions/${session}`)).status).toBe(200);
    expect((await tenant.call("GET", "/v1/sessions?externalId=order-7")).body.items).toHaveLength(1);
    expect((await ida.call("GET", "/v1/sessions")).body.items).toHaveLength(1);
    expect((await tenant.call("GET", `${path}/entries`)).body).toEqual(before.entries);
    expect((await tenant.call("POST", `${path}/search`, { query: "heron" })).body.entries).toHaveLength(before.found);
    expect((await auditOf(tenant)).slice(0, before.audit.length)).toEqual(before.audit);
    expect((await tenant.call("GET", "/v1/audit/seals")).body).toEqual(before.seals);
    const services = composeServices(env);
    expect((await authenticateSession(signedIn, services))?.services.database).toBe(1);
    const { pathname } = new URL(channel.address, "https://conclave.test");
    expect((await send("POST", pathname, { body: { update_id: 1 } })).status).toBe(401);
    expect((await admin.call("GET", `/v1/admin/tenants/${tenantId}`)).body).toMatchObject({ database: 1 });
  };
  await deployed(moved, async () => {
    await works();
    const now = Date.now();
    expect(await move(tenantId, now)).toMatchObject({ status: "settling", retryAfterSeconds: 60 });
    await works();
    expect(await move(tenantId, now + 61_000)).toMatchObject({ status: "moved" });
    expect(await move(tenantId, now + 61_000)).toMatchObject({ status: "moved" });
    expect(await rowsOfTenant(env.DB, tenantId)).toEqual({});
    await works();
    // Whoever moved it is on record, once.
    const moves = (await auditOf(tenant)).filter(({ subject }) => JSON.stringify(subject).includes('["database"]'));
    expect(moves).toMatchObject([{ type: "settings.changed", actor: { kind: "system", id: "deployment" } }]);
    // What is made there lives there, and what it has to tell comes there.
    const next = await tenant.session({ agent: "assistant" });
    await eventually(async () => {
      const { sessions = [] } = await rowsOfTenant(secondDatabase(), tenantId);
      expect(sessions.map((one) => one["session_id"])).toContain(next);
    });
    expect(await rowsOfTenant(env.DB, tenantId)).toEqual({});
    expect(await signInByLink(open, "", composeServices(env))).toMatch(/^d01\./);
  });
});
