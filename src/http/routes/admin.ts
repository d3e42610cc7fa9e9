import { z } from "zod";
import { removeTenant } from "../../application/removal.js";
import { type OutgoingPolicy, refuseAddress } from "../../platform/outgoing.js";
import type { Tenant } from "../../stores/tenant-store.js";
import {
  keySchema,
  newKeySchema,
  newTenantSchema,
  settingsSchema,
  storedSettingsSchema,
  tenantSchema,
} from "../../tenancy/tenant.js";
import { problem } from "../problems.js";
import { decodeCursor, json, jsonBody, listOf, newRouter, pageOf, pageQuery, route } from "../routing.js";

const tags = ["Tenants and keys"];
const security = [{ adminSecret: [] }];
const tenantParam = z.object({ tenantId: z.string().max(100) });
const keyParam = tenantParam.extend({ keyId: z.string().max(100) });

export const admin = newRouter();

admin.openapi(
  route({
    method: "post",
    path: "/v1/admin/tenants",
    tags,
    security,
    summary: "Make a tenant and its first key, which is shown this once",
    request: { body: jsonBody(newTenantSchema) },
    responses: { 201: json("The tenant", z.object({ tenantId: z.string(), key: z.string() })) },
  }),
  async (c) => {
    const { name, settings } = c.req.valid("json");
    const { tenants, policy } = c.get("services");
    checkProviders(settings.providers, policy);
    const tenant = await tenants.create(name, settings);
    c.header("location", `/v1/admin/tenants/${tenant.tenantId}`);
    return c.json(tenant, 201);
  },
);

admin.openapi(
  route({
    method: "get",
    path: "/v1/admin/tenants",
    tags,
    security,
    summary: "All tenants",
    request: { query: pageQuery },
    responses: { 200: json("A page of tenants", listOf(tenantSchema)) },
  }),
  async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const rows = await c.get("services").tenants.list(decodeCursor(cursor) ?? "", limit + 1);
    return c.json(
      pageOf(rows, limit, (tenant) => tenant.tenantId, show),
      200,
    );
  },
);

admin.openapi(
  route({
    method: "get",
    path: "/v1/admin/tenants/{tenantId}",
    tags,
    security,
    summary: "One tenant; credentials are not shown",
    request: { params: tenantParam },
    responses: { 200: json("The tenant", tenantSchema) },
  }),
  async (c) => c.json(show(await find(c.get("services").tenants, c.req.valid("param").tenantId)), 200),
);

admin.openapi(
  route({
    method: "patch",
    path: "/v1/admin/tenants/{tenantId}",
    tags,
    security,
    summary: "Change a tenant's name or settings; a setting that isn't given stays; `embeddings: null` takes them away",
    request: {
      params: tenantParam,
      body: jsonBody(
        z.strictObject({ name: z.string().min(1).max(200).optional(), settings: partialSettings().optional() }),
      ),
    },
    responses: { 200: json("The tenant", tenantSchema) },
  }),
  async (c) => {
    const { tenants } = c.get("services");
    const tenant = await find(tenants, c.req.valid("param").tenantId);
    const { name, settings } = c.req.valid("json");
    const { providers, embeddings, ...others } = settings ?? {};
    checkProviders(providers ?? {}, c.get("services").policy);
    const sealed =
      providers === undefined ? tenant.settings : await tenants.sealSettings(settingsSchema.parse({ providers }));
    const next = storedSettingsSchema.parse({
      ...tenant.settings,
      ...others,
      ...(embeddings === undefined ? {} : { embeddings: embeddings ?? undefined }),
      providers: sealed.providers,
    });
    await tenants.update(tenant.tenantId, name ?? tenant.name, next);
    return c.json(show(await find(tenants, tenant.tenantId)), 200);
  },
);

admin.openapi(
  route({
    method: "delete",
    path: "/v1/admin/tenants/{tenantId}",
    tags,
    security,
    summary: "Delete a tenant and what it holds",
    request: { params: tenantParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    const services = c.get("services");
    const { tenantId } = await find(services.tenants, c.req.valid("param").tenantId);
    await removeTenant(tenantId, services);
    return c.body(null, 204);
  },
);

admin.openapi(
  route({
    method: "post",
    path: "/v1/admin/tenants/{tenantId}/keys",
    tags,
    security,
    summary: "Make a key, which is shown this once",
    request: { params: tenantParam, body: jsonBody(newKeySchema) },
    responses: { 201: json("The key", z.object({ keyId: z.string(), key: z.string(), role: keySchema.shape.role })) },
  }),
  async (c) => {
    const { tenants } = c.get("services");
    const { tenantId } = await find(tenants, c.req.valid("param").tenantId);
    const { role, label } = c.req.valid("json");
    return c.json({ ...(await tenants.createKey(tenantId, role, label)), role }, 201);
  },
);

admin.openapi(
  route({
    method: "get",
    path: "/v1/admin/tenants/{tenantId}/keys",
    tags,
    security,
    summary: "The keys of a tenant, without their secrets",
    request: { params: tenantParam, query: pageQuery },
    responses: { 200: json("A page of keys", listOf(keySchema)) },
  }),
  async (c) => {
    const { tenants } = c.get("services");
    const { tenantId } = await find(tenants, c.req.valid("param").tenantId);
    const { limit, cursor } = c.req.valid("query");
    const rows = await tenants.listKeys(tenantId, decodeCursor(cursor) ?? "", limit + 1);
    return c.json(
      pageOf(
        rows,
        limit,
        (key) => key.keyId,
        ({ keyId, role, label, createdAt }) => ({
          keyId,
          role,
          ...(label === undefined ? {} : { label }),
          createdAt: new Date(createdAt).toISOString(),
        }),
      ),
      200,
    );
  },
);

admin.openapi(
  route({
    method: "delete",
    path: "/v1/admin/tenants/{tenantId}/keys/{keyId}",
    tags,
    security,
    summary: "Delete a key: it is refused from then on",
    request: { params: keyParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    const { tenantId, keyId } = c.req.valid("param");
    if (!(await c.get("services").tenants.removeKey(tenantId, keyId))) throw noKey;
    return c.body(null, 204);
  },
);

const noKey = problem("not_found", "There is no such key of this tenant.");

async function find(
  tenants: { get(tenantId: string): Promise<Tenant | undefined> },
  tenantId: string,
): Promise<Tenant> {
  const tenant = await tenants.get(tenantId);
  if (tenant === undefined) throw problem("not_found", "There is no such tenant.");
  return tenant;
}

function show({ tenantId, name, settings, createdAt }: Tenant): z.infer<typeof tenantSchema> {
  const providers = Object.fromEntries(
    Object.entries(settings.providers).map(([provider, { baseUrl }]) => [provider, { baseUrl }]),
  );
  return { tenantId, name, settings: { ...settings, providers }, createdAt: new Date(createdAt).toISOString() };
}

function checkProviders(providers: Readonly<Record<string, { baseUrl: string }>>, policy: OutgoingPolicy): void {
  const errors = Object.entries(providers).flatMap(([name, { baseUrl }]) => {
    const refused = refuseAddress(baseUrl, policy);
    return refused === undefined ? [] : [{ path: `settings.providers.${name}.baseUrl`, message: refused }];
  });
  if (errors.length > 0) throw problem("invalid", "A provider's address can't be called; see errors.", { errors });
}

/** The settings without their defaults: what isn't given isn't touched. */
function partialSettings() {
  const { strict, supervisors, reviews, approvals, providers, embeddings } = settingsSchema.shape;
  return z.strictObject({
    strict: strict.unwrap().optional(),
    supervisors: supervisors.unwrap().optional(),
    reviews: reviews.unwrap().optional(),
    approvals: approvals.unwrap().optional(),
    providers: providers.unwrap().optional(),
    /** Null takes it away. */
    embeddings: embeddings.nullable(),
  });
}
