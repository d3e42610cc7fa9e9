/** Tenants and keys are made once for each request with an Idempotency-Key, and a retry is given the very same key, at once. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { composeServices } from "../../src/composition/services.js";
import { api } from "../../src/http/api.js";
import { createApp } from "../../src/http/app.js";
import type { TenantStore } from "../../src/stores/tenant-store.js";
import { type Fields, newTenant, origin, send } from "../support/conclave.js";

/** Makes what is asked for, and dies before anybody is told. */
async function diesAfter(act: "create" | "createKey", request: Request): Promise<void> {
  let reached = (): void => {};
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const services = composeServices(env);
  const { tenants } = services;
  const stopped = async (): Promise<never> => {
    reached();
    return new Promise<never>(() => {});
  };
  const dying: Partial<TenantStore> = {
    async create(...args) {
      await tenants.create(...args);
      return stopped();
    },
    async createKey(...args) {
      await tenants.createKey(...args);
      return stopped();
    },
  };
  const own = Object.assign(Object.create(tenants), { [act]: dying[act] });
  void createApp(() => ({ ...services, tenants: own }), { callers: "tenant" }, api).fetch(
    request,
    env,
    createExecutionContext(),
  );
  await isReached;
}

const madeSchema = z.object({ key: z.string(), keyId: z.string().default(""), tenantId: z.string().default("") });

async function retriedAfterDeath(act: "create" | "createKey", path: string, key: string, body: Fields) {
  const headers = { "idempotency-key": `once-${path}` };
  const all = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
  await diesAfter(act, new Request(origin + path, { method: "POST", headers: all, body: JSON.stringify(body) }));
  const retry = async () => {
    const answer = await send("POST", path, { key, body, headers });
    expect(answer.status).toBe(201);
    return madeSchema.parse(await answer.json());
  };
  const first = await retry();
  expect(await retry()).toEqual(first);
  return first;
}

describe("a request that died after it had made", () => {
  it("a tenant is repeated at once, and makes no second one", async () => {
    const name = `twice ${crypto.randomUUID()}`;
    const first = await retriedAfterDeath("create", "/v1/admin/tenants", env.ADMIN_SECRET, { name, database: 0 });
    const made = await env.DB.prepare("SELECT tenant_id FROM tenants WHERE name = ?").bind(name).all();
    expect(made.results).toEqual([{ tenant_id: first.tenantId }]);
    expect((await send("GET", "/v1/agents", { key: first.key })).status).toBe(200);
  });

  it.each(["own", "admin"])("a key is repeated at once, and makes no second one: %s", async (whose) => {
    const tenant = await newTenant();
    const path = whose === "own" ? "/v1/keys" : `/v1/admin/tenants/${tenant.tenantId}/keys`;
    const key = whose === "own" ? tenant.key : env.ADMIN_SECRET;
    const first = await retriedAfterDeath("createKey", path, key, { role: "client", label: "shop" });
    const { items } = (await tenant.call("GET", "/v1/keys")).body;
    expect(items.filter(({ label }: { label?: string }) => label === "shop")).toHaveLength(1);
    expect((await send("GET", "/v1/agents", { key: first.key })).status).toBe(200);
    // Its secret is kept sealed, and goes with it.
    const claims = () =>
      env.DB.prepare("SELECT sealed_key FROM key_claims WHERE key_id = ?")
        .bind(first.keyId)
        .first<{ sealed_key: string }>();
    expect((await claims())?.sealed_key).not.toContain(first.key);
    expect((await tenant.call("DELETE", `/v1/keys/${first.keyId}`)).status).toBe(204);
    expect((await claims())?.sealed_key).toBe("");
  });
});
