/** Who administers a tenant, and who deletes what is remembered, is on record: once for each change, with no secret and no text. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { composeServices } from "../../src/composition/services.js";
import { defined } from "../../src/conversation/defined.js";
import { auditColumns } from "../../src/tenancy/audit.js";
import { auditAbout, keyIdOf } from "../support/audit.js";
import { type Fields, newTenant, send, type TestTenant } from "../support/conclave.js";
import { newMemory } from "../support/memory.js";

afterEach(() => void vi.useRealTimers());

const deployment = { kind: "system", id: "deployment" };
const adminOf = (tenant: TestTenant) => ({ kind: "key", id: keyIdOf(tenant), role: "admin" });
const byDeployment = (method: string, path: string, body?: unknown) =>
  send(method, `/v1/admin/tenants/${path}`, { key: env.ADMIN_SECRET, ...defined({ body }) });
const change = (tenant: TestTenant, body: Fields) => tenant.call("PATCH", "/v1/tenant", body);
const csvOf = async ({ key }: TestTenant) => (await send("GET", "/v1/audit?format=csv", { key })).text();

describe("of keys", () => {
  const rows = (tenant: TestTenant) => auditAbout(tenant, "key.created", "key.deleted");

  it("stands who made and who deleted each, what it may and what it is called; not its secret", async () => {
    const tenant = await newTenant();
    const made = (await tenant.call("POST", "/v1/keys", { role: "client", label: "=web shop" })).body;
    const other = await tenant.withRole("operator");
    const deletions = [
      [await tenant.call("DELETE", `/v1/keys/${made.keyId}`), 204],
      [await tenant.call("DELETE", `/v1/keys/${made.keyId}`), 404],
      [await tenant.call("DELETE", `/v1/keys/${keyIdOf(tenant)}`), 409],
      [await byDeployment("DELETE", `${tenant.tenantId}/keys/${keyIdOf(other)}`), 204],
      [await byDeployment("DELETE", `${tenant.tenantId}/keys/${keyIdOf(other)}`), 404],
    ] as const;
    expect(deletions.map(([{ status }]) => status)).toEqual(deletions.map(([, status]) => status));

    const shop = { kind: "keys", name: made.keyId, keyRole: "client", keyLabel: "=web shop" };
    const staff = { kind: "keys", name: keyIdOf(other), keyRole: "operator" };
    expect(await rows(tenant)).toEqual(
      [
        ["key.created", "created", deployment, { kind: "keys", name: keyIdOf(tenant), keyRole: "admin" }],
        ["key.created", "created", adminOf(tenant), shop],
        ["key.created", "created", deployment, staff],
        ["key.deleted", "deleted", adminOf(tenant), shop],
        ["key.deleted", "deleted", deployment, staff],
      ].map(([type, decision, actor, subject]) => ({
        at: expect.any(String),
        type,
        decision,
        actor,
        subject,
        reasons: [],
      })),
    );
    const csv = await csvOf(tenant);
    expect(csv).toContain(`"keys/${made.keyId}"`);
    expect(csv).toContain(`"client","'=web shop","","","","","","",""\r\n`);
    // The secret may hold underscores itself.
    for (const { key } of [tenant, other, { key: made.key }])
      expect(csv).not.toContain(key.slice(key.indexOf("_", "cnk_".length) + 1));
  });

  it("stands one that was made once, however often its request comes, also after a crash", async () => {
    const tenant = await newTenant();
    const key = { "idempotency-key": "k1" };
    for (const _ of [1, 2]) await tenant.call("POST", "/v1/keys", { role: "client" }, key);
    const { tenants } = composeServices(env);
    const request = { tenantId: tenant.tenantId, sender: "key k", key: "k2", hash: "h" };
    const by = { kind: "key", id: "k" } as const;
    for (const _ of [1, 2]) await tenants.createKey(tenant.tenantId, { role: "client", label: undefined, by }, request);
    expect(await rows(tenant)).toHaveLength(3);
  });
});

describe("of a tenant's settings", () => {
  const rows = async (tenant: TestTenant) =>
    (await auditAbout(tenant, "settings.changed")).map(({ actor, subject, decision }) => ({
      actor,
      subject,
      decision,
    }));
  const row = (
    tenant: TestTenant,
    settings: readonly string[],
    actor: object = adminOf(tenant),
    more: Fields = {},
  ) => ({
    actor,
    subject: { kind: "tenants", name: tenant.tenantId, settings, ...more },
    decision: "changed",
  });

  it("stands who changed which, without their values; the same again changes nothing", async () => {
    const tenant = await newTenant({ strict: true });
    const provider = { baseUrl: "https://models.example/v1", apiKey: "sk-rosebud" };
    const settings = { strict: true, clientMay: ["deleteSession"], providers: { acme: provider } };
    for (const _ of [1, 2]) expect((await change(tenant, { name: "Kane", settings })).status).toBe(200);
    await byDeployment("PATCH", tenant.tenantId, { settings: { strict: false } });
    expect((await change(tenant, {})).status).toBe(200);
    const added = { changes: ["providers.acme.apiKey", "providers.acme.baseUrl"] };
    const expected = [
      row(tenant, ["clientMay", "providers", "name"], adminOf(tenant), added),
      row(tenant, ["strict"], deployment),
    ];
    expect(await rows(tenant)).toEqual(expected);
    expect(await csvOf(tenant)).toContain(
      `"clientMay; providers; name","${added.changes.join("; ")}","","","","",""\r\n`,
    );

    await change(tenant, { settings: { providers: { acme: { ...provider, apiKey: "sk-kane" } } } });
    const exchanged = row(tenant, ["providers"], adminOf(tenant), { changes: ["providers.acme.apiKey"] });
    expect(await rows(tenant)).toEqual([...expected, exchanged]);
    expect(await csvOf(tenant)).not.toMatch(/sk-|Kane|models\.example/);
  });

  it("stands the jurisdiction as it is set and taken away, and no change that was refused", async () => {
    const tenant = await newTenant();
    for (const jurisdiction of ["eu", "eu", null]) await change(tenant, { settings: { jurisdiction } });
    expect(await rows(tenant)).toEqual([1, 2].map(() => row(tenant, ["jurisdiction"])));
    await tenant.agent("assistant");
    await tenant.session();
    expect((await change(tenant, { settings: { jurisdiction: "us", strict: true } })).status).toBe(409);
    expect(await rows(tenant)).toHaveLength(2);
  });

  it("stands what was removed, and each of several changes at the same time", async () => {
    const tenant = await newTenant({ embeddings: { provider: "openai", model: "small" } });
    await Promise.all(
      [{ embeddings: null }, { strict: true }, { corsOrigins: ["https://app.example"] }].map((settings) =>
        change(tenant, { settings }),
      ),
    );
    const changed = (await rows(tenant)).map(({ subject }) => JSON.stringify(subject));
    for (const name of ["embeddings", "strict", "corsOrigins"]) expect(changed.join()).toContain(`["${name}"]`);
    expect(changed).toHaveLength(3);
  });
});

describe("of end users' tokens", () => {
  it("stands who made those of a subject void; a repetition that makes no more void isn't another", async () => {
    const tenant = await newTenant();
    const client = await tenant.withRole("client");
    const second = Math.ceil(Date.now() / 1_000) * 1_000;
    for (const at of [second + 10, second + 900, second + 2_000]) {
      vi.setSystemTime(at);
      expect((await client.call("POST", "/v1/subjects/ada/revoke")).status).toBe(204);
    }
    vi.setSystemTime(second + 3_000);
    const actor = { kind: "key", id: keyIdOf(client), role: "client" };
    expect(await auditAbout(tenant, "subject.revoked")).toMatchObject(
      [10, 2_000].map((after) => ({
        at: new Date(second + after).toISOString(),
        actor,
        decision: "revoked",
        subject: { kind: "subjects", name: "ada" },
      })),
    );
  });
});

describe("of a memory", () => {
  it("stands who deleted which entry and which thread, once each; not what the system deletes by itself", async () => {
    const memory = await newMemory();
    const { tenant, memoryId, path } = memory;
    const operator = await tenant.withRole("operator");
    const said = await memory.say(["I own Zirkonia.", "Noted."]);
    await memory.settled();
    await memory.say(["Rosebud."], "other");
    await memory.settled("indexed", "other");
    const { entryId } = await memory.call("POST", "/entries", { rawEntry: "Tom is a cat." });
    const inThread = said.messages[0].entryId;
    // As one that has expired.
    const { memory: service } = composeServices(env);
    const ref = await service.memory(tenant.tenantId, memoryId);
    const expired = said.messages[1].entryId;
    expect(ref.ok && (await service.deleteEntry(ref.value, expired)).ok).toBe(true);
    const deletions = [
      [tenant, `entries/${entryId}`, 204],
      [operator, `entries/${entryId}`, 404],
      [operator, `entries/${inThread}`, 204],
      [tenant, `entries/${inThread}`, 404],
      [operator, "threads/other", 204],
      [tenant, "threads/other", 404],
      [tenant, `entries/${expired}`, 404],
      [tenant, `entries/ent_01k00000000000000000000000`, 404],
    ] as const;
    for (const [reader, what, status] of deletions) {
      expect((await reader.call("DELETE", `${path}/${what}`)).status, what).toBe(status);
    }
    // A thread of the same name is another one.
    await memory.start("other");
    await tenant.call("DELETE", `${path}/threads/other`);

    const staff = { kind: "key", id: keyIdOf(operator), role: "operator" };
    const rows = await auditAbout(tenant, "entry.deleted", "thread.deleted");
    expect(rows).toEqual(
      [
        ["entry.deleted", adminOf(tenant), { kind: "entries", name: entryId }],
        ["entry.deleted", staff, { kind: "entries", name: inThread }],
        ["thread.deleted", staff, { kind: "threads", name: "other" }],
        ["thread.deleted", adminOf(tenant), { kind: "threads", name: "other" }],
      ].map(([type, actor, subject]) => ({
        at: expect.any(String),
        type,
        decision: "deleted",
        memoryId,
        actor,
        subject,
        reasons: [],
      })),
    );
    const csv = await csvOf(tenant);
    const column = auditColumns.indexOf("memoryId");
    const line = csv.split("\r\n").find((one) => one.includes(`"entries/${entryId}"`));
    expect(line?.split(",")[column]).toBe(`"${memoryId}"`);
    expect(csv).not.toMatch(/Zirkonia|Rosebud|Tom/);
  });

  it("stands who deleted an entry also where its thread was the first to erase it, and the caller's request died", async () => {
    const memory = await newMemory();
    const [{ entryId }] = (await memory.say(["I own Zirkonia."])).messages;
    await memory.settled();
    const deleted = { by: { kind: "key", id: "key_1", role: "operator" }, at: 7 } as const;
    const { threads } = composeServices(env).memory.ports;
    const thread = { tenantId: memory.tenant.tenantId, memoryId: memory.memoryId, threadId: "main" };
    expect(await threads.erase(thread, entryId, deleted)).toBe(true);
    await expect
      .poll(() => auditAbout(memory.tenant, "entry.deleted"))
      .toMatchObject([{ at: new Date(7).toISOString(), actor: deleted.by, subject: { name: entryId } }]);
  });
});
