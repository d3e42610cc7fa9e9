/** Tenants live in several databases: each works wholly in its own, what was there before is found, and what goes over all tenants goes over all. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { newChallenge } from "../../src/application/people/challenges.js";
import { addOwnPasskey } from "../../src/application/people/own-sign-in.js";
import {
  authenticateSession,
  passkeyChallenge,
  signInByLink,
  signInByPasskey,
} from "../../src/application/people/sign-in.js";
import { composeServices } from "../../src/composition/services.js";
import { auditAbout } from "../support/audit.js";
import { newTenant, send, TestTenant } from "../support/conclave.js";
import { D1Calls } from "../support/d1-calls.js";
import { secondDatabase } from "../support/databases.js";
import { eventually } from "../support/eventually.js";
import { runEachMinute, runHousekeeping } from "../support/housekeeping.js";
import { newMemory } from "../support/memory.js";
import { rowsOf } from "../support/objects.js";
import { newPasskey } from "../support/passkey.js";
import { expectProblem } from "./support.js";

const admin = new TestTenant("", env.ADMIN_SECRET);

/** How many rows a database has of a tenant, by table. */
async function rowsOfTenant(db: D1Database, tenantId: string): Promise<Record<string, number>> {
  const { results: tables } = await db
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE '%tenant_id TEXT%'")
    .all<{ name: string }>();
  const counts = await db.batch<{ n: number }>(
    tables.map(({ name }) => db.prepare(`SELECT COUNT(*) AS n FROM ${name} WHERE tenant_id = ?`).bind(tenantId)),
  );
  const found = tables.map(({ name }, at) => [name, counts[at]?.results[0]?.n ?? 0] as const);
  return Object.fromEntries(found.filter(([, n]) => n > 0));
}

async function delivered(tenant: TestTenant, session: string): Promise<void> {
  await eventually(async () => {
    expect(await rowsOf(tenant.object(session), "SELECT COUNT(*) AS n FROM outbox")).toEqual([{ n: 0 }]);
  });
}

it("turns of a tenant in another database leave nothing in the first, and cost as many calls", async () => {
  const before = await newTenant();
  const tenant = await newTenant({}, 1);
  expect(tenant.tenantId).toMatch(/^ten_d01_[0-9a-z]{26}$/);
  expect(tenant.key).toMatch(/^cnk_d01_[0-9a-z]{26}_/);
  const rows = await rowsOfTenant(env.DB, before.tenantId);

  const model = await tenant.agent("assistant", { supervisors: ["privacy"] });
  await tenant.rules("privacy", [{ match: { type: "personalData" }, action: "redact", reason: "personal" }]);
  await model.reply({ text: "Noted.", repeat: true });
  const session = await tenant.session();
  await tenant.say(session, "Write to ada@example.com.");
  await delivered(tenant, session);
  const calls = new D1Calls(tenant);
  await tenant.say(session, "Hello.");
  await delivered(tenant, session);
  expect(calls.taken()).toEqual(["keys", "batch"]);

  expect(await rowsOfTenant(env.DB, tenant.tenantId)).toEqual({});
  expect(await rowsOfTenant(env.DB, before.tenantId)).toEqual(rows);
  expect(await rowsOfTenant(secondDatabase(), tenant.tenantId)).toMatchObject({ sessions: 1, usage: 2 });
  const listed = await tenant.call("GET", "/v1/sessions");
  expect(listed.body.items).toMatchObject([{ sessionId: session }]);
});

it("keeps a memory, its index and its context there, through the queue", async () => {
  const tenant = await newTenant({}, 1);
  const memory = await newMemory("offline", tenant);
  await memory.say(["The ferry leaves at noon.", "Noted."]);
  await memory.settled();
  expect(await memory.entries()).toHaveLength(2);
  expect(await rowsOfTenant(env.DB, tenant.tenantId)).toEqual({});
});

it("lets people in by links, sessions and passkeys, wherever their tenant lives", async () => {
  const services = composeServices(env, { origin: "https://conclave.test" });
  const tenant = await newTenant({}, 1);
  const person = { name: "Ada", email: "ada@example.com", role: "admin" };
  const { body } = await tenant.call("POST", "/v1/people", person);
  const code: string = body.link.split("#")[1];
  expect(code).toMatch(/^d01\./);
  const secret = await signInByLink(code, "", services);
  const me = await authenticateSession(secret, services);
  expect(me?.actor).toMatchObject({ tenantId: tenant.tenantId, id: body.personId });
  expect(me?.services.database).toBe(1);
  // Made up, or of a database that isn't there.
  for (const other of [secret.replace("d01.", ""), secret.replace("d01.", "d77.")])
    expect(await authenticateSession(other, services)).toBeUndefined();
  const at = { origin: "https://conclave.test", host: "conclave.test" };
  const passkey = await newPasskey();
  const created = await passkey.created(await newChallenge(`add ${body.personId}`, services), {});
  const added = addOwnPasskey.read({ passkey: created, at });
  if (!added.ok || me === undefined) throw new Error("nobody has signed in");
  await added.perform(me.actor, services);
  const asserted = await passkey.asserted(await passkeyChallenge(services), {});
  const again = await signInByPasskey(asserted, { address: "", at }, services);
  expect((await authenticateSession(again, services))?.actor.id).toBe(body.personId);
});

it("knows tokens of end users and addresses of chats there, and nobody's key of a database that isn't", async () => {
  const tenant = await newTenant({}, 1);
  await tenant.agent("assistant");
  const { body } = await tenant.call("POST", "/v1/tokens", { subject: "ada" });
  const ada = new TestTenant(tenant.tenantId, body.token);
  expect((await ada.call("GET", "/v1/sessions")).status).toBe(200);
  const telegram = { kind: "telegram", agent: "assistant", credentials: { botToken: "1:a", secretToken: "s3cret" } };
  const channel = (await tenant.put("channels", "bot", telegram)).body;
  const { pathname } = new URL(channel.address, "https://conclave.test");
  expect(pathname).toMatch(/\/d01x[0-9a-f]{48}$/);
  expect((await send("POST", pathname, { body: { update_id: 1 } })).status).toBe(401);
  expect((await send("POST", pathname.replace("d01x", ""), { body: {} })).status).toBe(404);
  const elsewhere = new TestTenant("", tenant.key.replace("cnk_d01_", "cnk_d77_"));
  expectProblem(await elsewhere.call("GET", "/v1/sessions"), "unauthorized");
  expectProblem(await admin.call("GET", `/v1/admin/tenants/${tenant.tenantId.replace("d01", "d77")}`), "not_found");
});

it("the deployment makes, lists, changes and deletes tenants of each, by their ids", async () => {
  const keyed = { "idempotency-key": crypto.randomUUID() };
  const make = () => admin.call("POST", "/v1/admin/tenants", { name: "second", database: 1 }, keyed);
  const made = await make();
  expect((await make()).body).toEqual(made.body);
  const path = `/v1/admin/tenants/${made.body.tenantId}`;
  expect((await admin.call("GET", path)).body).toMatchObject({ name: "second", database: 1 });
  await admin.call("PATCH", path, { name: "renamed" });
  const key = await admin.call("POST", `${path}/keys`, { role: "client" });
  expect(key.body.key).toMatch(/^cnk_d01_/);
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await admin.call("GET", `/v1/admin/tenants?limit=200${query}`);
    ids.push(...page.body.items.map(({ tenantId }: { tenantId: string }) => tenantId));
    cursor = page.body.nextCursor;
  }
  expect(ids).toContain(made.body.tenantId);
  expect(ids).toEqual([...new Set(ids)].sort());
  expect((await admin.call("DELETE", path)).status).toBe(204);
  expectProblem(await admin.call("GET", path), "not_found");
  expectProblem(await make(), "conflict");
  expectProblem(await admin.call("POST", "/v1/admin/tenants", { name: "x", database: 7 }), "invalid");
  // Whoever names none gets the one with the most room.
  const { body } = await admin.call("POST", "/v1/admin/tenants", { name: "anywhere" });
  expect([0, 1]).toContain((await admin.call("GET", `/v1/admin/tenants/${body.tenantId}`)).body.database);
});

it("limits and prices of the deployment count in each database, and usage is added up over them", async () => {
  const tenant = await newTenant({}, 1);
  const name = `only-${crypto.randomUUID().slice(0, 8)}`;
  const limit = { per: "tenant", measure: "sessions", max: 1, window: "day", match: { tenantId: tenant.tenantId } };
  const model = await tenant.agent("assistant");
  await model.reply({ text: "Noted.", repeat: true });
  expect((await admin.call("PUT", `/v1/admin/limits/${name}`, limit)).status).toBe(201);
  const session = await tenant.session();
  expectProblem(await tenant.call("POST", "/v1/sessions", { agent: "assistant" }), "limit_reached");
  expect(await auditAbout(tenant, "limit.stored")).toMatchObject([{ subject: { name } }]);
  await tenant.say(session, "Hello.");
  await delivered(tenant, session);
  const usage = await admin.call("GET", `/v1/admin/usage?tenant=${tenant.tenantId}`);
  expect(usage.body).toMatchObject({ items: [{ group: tenant.tenantId, turns: 1 }], total: { turns: 1 } });
  const all = await admin.call("GET", "/v1/admin/usage?groupBy=status");
  expect(all.body.total.turns).toBeGreaterThan(0);
  // One that was made while a database couldn't be reached comes with the schedule.
  const here = () =>
    secondDatabase().prepare("SELECT COUNT(*) AS n FROM limits WHERE name = ?").bind(name).first<number>("n");
  await secondDatabase().prepare("DELETE FROM limits WHERE name = ?").bind(name).run();
  await runEachMinute();
  expect(await here()).toBe(1);
  expect((await admin.call("DELETE", `/v1/admin/limits/${name}`)).status).toBe(204);
  expect(await here()).toBe(0);
});

it("the housekeeping goes over each, and health names each", async () => {
  const old = `old-${crypto.randomUUID()}`;
  const [insert, left] = [
    "INSERT INTO idempotency (scope, idempotency_key, request_hash, about, created_at) VALUES ('admin', ?, '', '', 1)",
    "SELECT COUNT(*) AS n FROM idempotency WHERE idempotency_key = ?",
  ];
  const databases = [env.DB, secondDatabase()];
  for (const db of databases) await db.prepare(insert).bind(old).run();
  await runHousekeeping();
  for (const db of databases) expect(await db.prepare(left).bind(old).first("n")).toBe(0);
  const { databases: named, schema } = await (await send("GET", "/health")).json<Record<string, unknown>>();
  expect(named).toMatchObject([{ database: 0 }, { database: 1 }]);
  expect(schema).toEqual({ have: expect.any(Number), want: expect.any(Number) });
});
