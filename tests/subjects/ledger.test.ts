/** A database that is set back to before an erasure: the ledger is done again, and nothing of what was erased can be read. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { MemoryService } from "../../src/application/memory/memory-service.js";
import { SubjectStore } from "../../src/stores/subject-store.js";
import { type Fields, newTenant, send, TestTenant as Tenant, type TestTenant } from "../support/conclave.js";
import { copyOfDatabase } from "../support/database-copy.js";
import { eventually } from "../support/eventually.js";
import { passTime } from "../support/objects.js";
import { jobObject } from "../support/person.js";
import { tracesInD1 } from "../support/traces.js";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const admin = new Tenant("", env.ADMIN_SECRET);

/** Everything that was erased since, of one tenant: as whoever restores keeps it, in its order. */
async function ledgerOf({ tenantId }: TestTenant, since: string): Promise<Fields[]> {
  const items: Fields[] = [];
  for (let cursor = ""; ; ) {
    const query = `since=${encodeURIComponent(since)}&limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { status, body } = await admin.call("GET", `/v1/admin/erasures?${query}`);
    expect(status).toBe(200);
    items.push(...body.items);
    if (body.nextCursor === null) return items.filter((one) => one.tenantId === tenantId);
    cursor = body.nextCursor;
  }
}

const replay = (items: readonly Fields[], since: string) => admin.call("POST", "/v1/admin/erasures", { since, items });

/** Talks, is remembered, is written about, and calls by a token of their own. */
async function person(tenant: TestTenant, name: string) {
  const { vaultId } = (await tenant.call("POST", "/v1/vaults", { title: `About vault${name}` })).body;
  const memory = { title: `About title${name}`, model: "offline", subject: name };
  const { memoryId } = (await tenant.call("POST", `/v1/vaults/${vaultId}/memories`, memory)).body;
  const path = `/v1/memories/${memoryId}`;
  const { entryId } = (await tenant.call("POST", `${path}/entries`, { rawEntry: `Likes direct${name}.` })).body;
  const own = new Tenant(tenant.tenantId, (await tenant.call("POST", "/v1/tokens", { subject: name })).body.token);
  const sessionId = await own.session({});
  await own.say(sessionId, `My said${name}.`, {}, { "idempotency-key": `key${name}` });
  const remembered = await tenant.session({ subject: name, memory: { memoryId } });
  await tenant.say(remembered, `My heard${name}.`);
  await eventually(async () => {
    const { body } = await tenant.call("GET", `${path}/entries?threadId=${remembered}`);
    if ((body.items ?? []).length < 2) throw new Error("no entries yet");
    const { items } = (await tenant.call("GET", `/v1/sessions?subject=${name}`)).body;
    if (items.length < 2) throw new Error("not in lists yet");
  });
  const words = ["title", "direct", "said", "key", "heard"].map((word) => word + name);
  return { path, entryId, vaultId, sessions: [sessionId, remembered], words };
}

async function place(): Promise<TestTenant> {
  const tenant = await newTenant();
  await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "Answer." });
  return tenant;
}

async function erase(tenant: TestTenant, subject: string): Promise<Fields> {
  const { jobId } = (await tenant.call("DELETE", `/v1/subjects/${subject}`, { reason: "asked for" })).body;
  const { body } = await tenant.call("GET", `/v1/subject-jobs/${jobId}?waitMs=30000`);
  expect(body.status).toBe("completed");
  return body;
}

const shown = async (tenant: TestTenant, subject: string) =>
  (await tenant.call("GET", `/v1/subjects/${subject}`)).body.counts;

it("erases a person again whom the database knows once more, whatever interrupts it; nobody else, and nothing twice", async () => {
  const tenant = await place();
  const ana = await person(tenant, "anaquorzilu");
  const ben = await person(tenant, "benlumifoxu");
  const putBack = await copyOfDatabase(tenant);
  const since = new Date().toISOString();
  const { pseudonym } = await erase(tenant, "anaquorzilu");
  const ledger = await ledgerOf(tenant, since);
  expect(ledger[0]).toMatchObject({ kind: "subject", rootId: pseudonym });
  expect(JSON.stringify(ledger)).not.toContain("anaquorzilu");

  await putBack();
  expect(await shown(tenant, "anaquorzilu")).toMatchObject({ sessions: 2, memories: 1 });
  expect((await tracesInD1(ana.words)).length).toBeGreaterThan(3);

  // Killed in the middle: nothing but the person's job is done before it has ended, and the same page goes on with it.
  const killed = new Error("killed");
  vi.spyOn(SubjectStore.prototype, "eraseKeys").mockRejectedValueOnce(killed).mockRejectedValueOnce(killed);
  const interrupted = (await replay(ledger, since)).body;
  expect(interrupted).toMatchObject({ replayed: 0, running: 1 });
  passTime(31_000);
  await runDurableObjectAlarm(jobObject(tenant, interrupted.jobs[0]));
  expect((await replay(ledger, since)).body).toEqual({ replayed: ledger.length, running: 0, jobs: [] });

  expect(await tracesInD1(ana.words)).toEqual([]);
  expect(await shown(tenant, "anaquorzilu")).toMatchObject({ sessions: 0, memories: 0, usage: 0, audit: 0 });
  for (const id of ana.sessions) expect((await tenant.call("GET", `/v1/sessions/${id}`)).status).toBe(404);
  expect((await tenant.call("GET", ana.path)).status).toBe(404);
  const usage = (await tenant.call("GET", "/v1/usage?groupBy=subject")).body;
  expect(JSON.stringify(usage)).toContain(pseudonym);
  expect(await shown(tenant, "benlumifoxu")).toMatchObject({ sessions: 2, memories: 1 });
  expect((await tracesInD1(ben.words)).length).toBeGreaterThan(3);
  // Once more it finds the person's job, and begins none.
  const jobs = (await tenant.call("GET", "/v1/subject-jobs")).body.items.length;
  expect((await replay(ledger, since)).body.running).toBe(0);
  expect((await tenant.call("GET", "/v1/subject-jobs")).body.items).toHaveLength(jobs);
});

it("erases what went singly: a session, a message's copies, an entry, a memory, a vault, a tenant", async () => {
  const tenant = await place();
  const one = await person(tenant, "onequorzilu");
  const two = await person(tenant, "twoquorzilu");
  const other = await place();
  await other.session({});
  const [putBack, putOtherBack] = [await copyOfDatabase(tenant), await copyOfDatabase(other)];
  const since = new Date().toISOString();
  await tenant.call("DELETE", `/v1/sessions/${one.sessions[0]}`);
  await tenant.call("DELETE", `${one.path}/entries/${one.entryId}`);
  await tenant.call("DELETE", `/v1/vaults/${two.vaultId}`);
  await send("DELETE", `/v1/admin/tenants/${other.tenantId}`, { key: env.ADMIN_SECRET });
  const ledger = [...(await ledgerOf(tenant, since)), ...(await ledgerOf(other, since))];
  await putBack();
  await putOtherBack();
  expect((await tenant.call("GET", `${one.path}/entries/${one.entryId}`)).status).toBe(200);
  expect((await tenant.call("GET", two.path)).status).toBe(200);

  const dying = vi.spyOn(MemoryService.prototype, "deleteVault").mockRejectedValueOnce(new Error("killed"));
  expect((await replay(ledger, since)).status).toBe(500);
  dying.mockRestore();
  expect((await replay(ledger, since)).body).toMatchObject({ replayed: ledger.length });

  expect(await tracesInD1(["directonequorzilu", "directtwoquorzilu", "heardtwoquorzilu"])).toEqual([]);
  expect((await tenant.call("GET", `/v1/sessions/${one.sessions[0]}`)).status).toBe(404);
  const listed = (await tenant.call("GET", "/v1/sessions")).body.items.map((item: Fields) => item.sessionId);
  expect(listed).not.toContain(one.sessions[0]);
  expect(listed).toContain(one.sessions[1]);
  expect((await tenant.call("GET", two.path)).status).toBe(404);
  expect((await other.call("GET", "/v1/sessions")).status).toBe(401);
  // The ledger has it again, and what was erased before the state of then is left alone.
  expect((await ledgerOf(tenant, since)).length).toBeGreaterThanOrEqual(4);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  expect((await replay(ledger, later)).body.replayed).toBe(0);
});

it("is for who runs the deployment, and refuses a ledger of another one", async () => {
  const tenant = await place();
  const since = new Date().toISOString();
  expect((await tenant.call("GET", `/v1/admin/erasures?since=${since}`)).status).toBe(401);
  const strange = { tenantId: "ten_d42_abc", kind: "session", rootId: "ses_1", itemId: "", at: since };
  expect(await replay([strange], since)).toMatchObject({
    status: 422,
    body: { errors: [{ path: "ledger.items.0.tenantId" }] },
  });
});

it("lets nobody in again whose key, grant or place among the staff was taken away since", async () => {
  const tenant = await place();
  const { keyId, key } = (await tenant.call("POST", "/v1/keys", { role: "client" })).body;
  const invited = async (name: string) =>
    (await tenant.call("POST", "/v1/people", { name, email: `${name}@example.com`, role: "operator" })).body.personId;
  const [gone, stays] = [await invited("gone"), await invited("stays")];
  const grant =
    "INSERT INTO access_grants (tenant_id, grant_id, person_id, client_name, client_host, reach, created_at, issued, expires_at)";
  const grants = async () =>
    env.DB.prepare("SELECT COUNT(*) AS n FROM access_grants WHERE tenant_id = ?").bind(tenant.tenantId).first("n");
  await env.DB.prepare(`${grant} VALUES (?, 'grt_1', ?, 'Host', 'example.com', 'own', 0, 1, ?)`)
    .bind(tenant.tenantId, stays, Date.now() + 60_000)
    .run();
  const putBack = await copyOfDatabase(tenant);
  const since = new Date().toISOString();
  await tenant.call("DELETE", `/v1/keys/${keyId}`);
  await tenant.call("DELETE", `/v1/people/${gone}`);
  await tenant.call("DELETE", "/v1/grants/grt_1");
  const ledger = await ledgerOf(tenant, since);
  expect(ledger.map(({ kind, rootId }) => [kind, rootId])).toEqual([
    ["key", keyId],
    ["person", gone],
    ["grant", "grt_1"],
  ]);
  const mayIn = async () => (await new Tenant(tenant.tenantId, key).call("GET", "/v1/sessions")).status;
  await putBack();
  expect(await mayIn()).toBe(200);
  expect(await grants()).toBe(1);
  for (const once of [1, 2]) expect((await replay(ledger, since)).body, `${once}`).toMatchObject({ replayed: 3 });
  expect(await mayIn()).toBe(401);
  expect(await grants()).toBe(0);
  const people = (await tenant.call("GET", "/v1/people")).body.items;
  expect(people.map(({ personId }: Fields) => personId)).toEqual([stays]);
});
