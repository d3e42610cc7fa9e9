import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { checkHealth } from "../../src/application/system/check-health.js";
import { authenticateDeployment } from "../../src/application/tenants/authenticate.js";
import { composeServices } from "../../src/composition/services.js";
import { createApp } from "../../src/http/app.js";
import { system } from "../../src/http/routes/health.js";
import { newTenant, send, TestTenant } from "../support/conclave.js";
import { expectProblem } from "./support.js";

const admin = new TestTenant("", env.ADMIN_SECRET);

describe("a key", () => {
  it.each([
    ["no key", {}],
    ["another scheme", { authorization: "Basic abc" }],
    ["no token", { authorization: "Bearer " }],
    ["something else", { authorization: "Bearer sk-123" }],
    ["an unknown key", { authorization: `Bearer cnk_01k00000000000000000000000_${"a".repeat(43)}` }],
    ["the admin secret", { authorization: `Bearer ${env.ADMIN_SECRET}` }],
  ])("is needed: %s is a 401", async (_what, headers: Record<string, string>) => {
    const nobody = new TestTenant("", "");
    for (const path of ["/v1/agents", "/v1/sessions", "/v1/asks", "/v1/nothing"]) {
      const answer = await nobody.call("GET", path, undefined, { authorization: "", ...headers });
      expectProblem(answer, "unauthorized");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  it("is right to the last character", async () => {
    const tenant = await newTenant();
    expect((await tenant.call("GET", "/v1/agents")).status).toBe(200);
    const last = tenant.key.endsWith("A") ? "B" : "A";
    for (const wrong of [`${tenant.key.slice(0, -1)}${last}`, tenant.key.slice(0, -1), `${tenant.key}x`]) {
      expectProblem(await new TestTenant("", wrong).call("GET", "/v1/agents"), "unauthorized");
    }
    const other = await newTenant();
    const crossed = `${other.key.slice(0, 31)}${tenant.key.slice(31)}`;
    expectProblem(await new TestTenant("", crossed).call("GET", "/v1/agents"), "unauthorized");
  });

  it("is refused from the moment it is deleted, and never shown again", async () => {
    const tenant = await newTenant();
    const second = await admin.call("POST", `/v1/admin/tenants/${tenant.tenantId}/keys`, {
      role: "client",
      label: "app",
    });
    expect(second.status).toBe(201);
    const keys = await admin.call("GET", `/v1/admin/tenants/${tenant.tenantId}/keys`);
    expect(keys.body.items).toMatchObject([{ role: "admin" }, { role: "client", label: "app" }]);
    const hash = (await env.DB.prepare("SELECT * FROM keys WHERE key_id = ?").bind(second.body.keyId).first()) ?? {};
    const secret = second.body.key.slice(`cnk_${second.body.keyId.slice("key_".length)}_`.length);
    expect(secret).toHaveLength(43);
    for (const place of [keys.body, hash]) expect(JSON.stringify(place)).not.toContain(secret);

    const client = new TestTenant(tenant.tenantId, second.body.key);
    expect((await client.call("GET", "/v1/agents")).status).toBe(200);
    const path = `/v1/admin/tenants/${tenant.tenantId}/keys/${second.body.keyId}`;
    expect((await admin.call("DELETE", path)).status).toBe(204);
    expectProblem(await client.call("GET", "/v1/agents"), "unauthorized");
    expectProblem(await admin.call("DELETE", path), "not_found");
    expect((await tenant.call("GET", "/v1/agents")).status).toBe(200);
  });

  it.each([
    ["client", [403, 403, 200, 201]],
    ["operator", [200, 204, 200, 201]],
    ["admin", [200, 204, 200, 201]],
  ] as const)("of role %s may do what its role may", async (role, expected) => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "" });
    await tenant.put("rules", "r", { text: "x" });
    const one = await tenant.withRole(role);
    const answers = [
      await one.call("PUT", "/v1/rules/r", { text: "y" }),
      await one.call("DELETE", "/v1/rules/r"),
      await one.call("GET", "/v1/agents/assistant"),
      await one.call("POST", "/v1/sessions", { agent: "assistant" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(expected);
    for (const answer of answers) if (answer.status === 403) expectProblem(answer, "forbidden");
    const rule = await tenant.call("GET", "/v1/rules/r");
    expect(rule.status === 200 ? rule.body.text : rule.status).toBe(role === "client" ? "x" : 404);
  });
});

describe("a new key", () => {
  it.each(["client", "operator", "admin"])("of role %s says so, once with its secret", async (role) => {
    const { tenantId } = await newTenant();
    const path = `/v1/admin/tenants/${tenantId}/keys`;
    const answer = await send("POST", path, { key: env.ADMIN_SECRET, body: { role } });
    const made: unknown = await answer.json();
    expect(made).toEqual({ keyId: expect.stringMatching(/^key_/), key: expect.stringMatching(/^cnk_/), role });
  });
});

describe("the admin secret", () => {
  it("is the only key to /v1/admin", async () => {
    const tenant = await newTenant();
    for (const [at, key] of ["", "wrong", tenant.key, `${env.ADMIN_SECRET}x`].entries()) {
      const other = new TestTenant("", key);
      const from = { "cf-connecting-ip": `192.0.2.${at}` };
      expectProblem(await other.call("GET", "/v1/admin/tenants", undefined, from), "unauthorized");
      expectProblem(await other.call("POST", "/v1/admin/tenants", { name: "mine" }, from), "unauthorized");
      expectProblem(
        await other.call("DELETE", `/v1/admin/tenants/${tenant.tenantId}`, undefined, from),
        "unauthorized",
      );
    }
    expect((await admin.call("GET", `/v1/admin/tenants/${tenant.tenantId}`)).status).toBe(200);
  });

  it("turns an address away that guesses wrong more than five times in a minute, and never who has it", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const guess = () =>
      new TestTenant("", "wrong").call("GET", "/v1/admin/tenants", undefined, { "cf-connecting-ip": "192.0.2.77" });
    for (let tries = 0; tries < 5; tries++) expectProblem(await guess(), "unauthorized");
    const refused = await guess();
    expectProblem(refused, "too_many_requests");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    const right = await admin.call("GET", "/v1/admin/tenants?limit=1", undefined, { "cf-connecting-ip": "192.0.2.77" });
    expect(right.status).toBe(200);
    vi.setSystemTime(Date.now() + 60_000);
    expectProblem(await guess(), "unauthorized");
    vi.useRealTimers();
  });

  it("has to be long: a short one opens nothing, and /health says which secret it is and not what it holds", async () => {
    const services = { ...composeServices(env), adminSecret: "short", sealingSecrets: ["s".repeat(31)] as const };
    expect(await authenticateDeployment("short", "", services)).toMatchObject({ code: "unavailable" });
    expect((await checkHealth(services)).checks).toEqual({
      database: "ok",
      schema: "ok",
      ADMIN_SECRET: "failed",
      SEALING_SECRET: "failed",
    });
    const app = createApp(() => services, { callers: "anybody" }, system);
    const answer = await app.request("/health", {}, env);
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain("short");
  });

  it("changes what is given and nothing else, and shows no credential", async () => {
    const providers = { acme: { baseUrl: "https://api.acme.test/v1", apiKey: "sk-hidden" } };
    const embeddings = { provider: "acme", model: "small" };
    const tenant = await newTenant({ strict: true, providers, embeddings });
    const path = `/v1/admin/tenants/${tenant.tenantId}`;
    const renamed = await admin.call("PATCH", path, { name: "new name" });
    expect(renamed.body).toMatchObject({
      name: "new name",
      settings: { strict: true, providers: { acme: { baseUrl: "https://api.acme.test/v1" } }, embeddings },
    });
    const relaxed = await admin.call("PATCH", path, { settings: { strict: false } });
    expect(relaxed.body.settings).toMatchObject({ strict: false, providers: { acme: {} }, embeddings });
    const larger = { ...embeddings, model: "large" };
    const changed = await admin.call("PATCH", path, { settings: { embeddings: larger } });
    expect(changed.body.settings).toMatchObject({ strict: false, providers: { acme: {} }, embeddings: larger });
    const without = await admin.call("PATCH", path, { settings: { embeddings: null } });
    expect(without.body.settings).not.toHaveProperty("embeddings");
    const listed = await admin.call("GET", "/v1/admin/tenants?limit=200");
    const stored = await env.DB.prepare("SELECT settings FROM tenants").all();
    for (const place of [renamed.body, relaxed.body, listed.body, stored.results]) {
      expect(JSON.stringify(place)).not.toContain("sk-hidden");
    }
    expectProblem(await admin.call("PATCH", path, { settings: { colour: 1 } }), "invalid");
    expectProblem(await admin.call("PATCH", "/v1/admin/tenants/ten_none", { name: "x" }), "not_found");
    const local = { metadata: { baseUrl: "http://169.254.169.254/", apiKey: "x" } };
    expectProblem(await admin.call("PATCH", path, { settings: { providers: local } }), "invalid");
  });

  it("takes a deleted tenant's sessions, keys and resources with it", async () => {
    const tenant = await newTenant();
    await tenant.put("agents", "assistant", { kind: "model", model: "offline", instructions: "" });
    const session = await tenant.session();
    await tenant.say(session, "hello");
    expect((await admin.call("DELETE", `/v1/admin/tenants/${tenant.tenantId}`)).status).toBe(204);
    expectProblem(await tenant.call("GET", `/v1/sessions/${session}`), "unauthorized");
    expectProblem(await admin.call("GET", `/v1/admin/tenants/${tenant.tenantId}`), "not_found");
    for (const table of ["keys", "resource_heads", "resource_versions", "sessions", "asks", "audit"]) {
      const { results } = await env.DB.prepare(`SELECT 1 FROM ${table} WHERE tenant_id = ?`)
        .bind(tenant.tenantId)
        .all();
      expect(results, table).toEqual([]);
    }
  });
});
