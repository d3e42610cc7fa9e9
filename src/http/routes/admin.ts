/** Tenants and keys, for who runs the deployment. */
import { z } from "zod";
import { changeTenant } from "../../application/tenants/change-tenant.js";
import { createKey } from "../../application/tenants/create-key.js";
import { createTenant } from "../../application/tenants/create-tenant.js";
import { deleteKey } from "../../application/tenants/delete-key.js";
import { deleteTenant } from "../../application/tenants/delete-tenant.js";
import { listKeys } from "../../application/tenants/list-keys.js";
import { listTenants } from "../../application/tenants/list-tenants.js";
import { readTenant } from "../../application/tenants/read-tenant.js";
import { keySchema, newKeySchema, newTenantSchema, tenantChangeSchema, tenantSchema } from "../../tenancy/tenant.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";

const tags = ["Tenants and keys"];
const security = [{ adminSecret: [] }];
const tenantParam = z.object({ tenantId: z.string().max(100) });
const keyParam = tenantParam.extend({ keyId: z.string().max(100) });

export const admin = newRouter();

admin.openapi(
  route({
    "x-act": "createTenant",
    method: "post",
    path: "/v1/admin/tenants",
    tags,
    security,
    summary: "Make a tenant and its first key, which is shown this once",
    request: { body: jsonBody(newTenantSchema) },
    responses: { 201: json("The tenant", z.object({ tenantId: z.string(), key: z.string() })) },
  }),
  async (c) => {
    const input = { ...c.req.valid("json"), idempotencyKey: c.req.header("idempotency-key") };
    const tenant = unwrap(await createTenant(actorOf(c), input, c.get("services")));
    c.header("location", `/v1/admin/tenants/${tenant.tenantId}`);
    return c.json(tenant, 201);
  },
);

admin.openapi(
  route({
    "x-act": "listTenants",
    method: "get",
    path: "/v1/admin/tenants",
    tags,
    security,
    summary: "All tenants",
    request: { query: pageQuery },
    responses: { 200: json("A page of tenants", listOf(tenantSchema)) },
  }),
  async (c) => c.json(unwrap(await listTenants(actorOf(c), c.req.valid("query"), c.get("services"))), 200),
);

admin.openapi(
  route({
    "x-act": "readTenant",
    method: "get",
    path: "/v1/admin/tenants/{tenantId}",
    tags,
    security,
    summary: "One tenant; credentials are not shown",
    request: { params: tenantParam },
    responses: { 200: json("The tenant", tenantSchema) },
  }),
  async (c) => {
    const { tenantId } = c.req.valid("param");
    return c.json(unwrap(await readTenant(actorOf(c), tenantId, c.get("services"))), 200);
  },
);

admin.openapi(
  route({
    "x-act": "changeTenant",
    method: "patch",
    path: "/v1/admin/tenants/{tenantId}",
    tags,
    security,
    summary: "Change a tenant's name or settings; a setting that isn't given stays; `embeddings: null` takes them away",
    request: {
      params: tenantParam,
      body: jsonBody(tenantChangeSchema),
    },
    responses: { 200: json("The tenant", tenantSchema) },
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), change: c.req.valid("json") };
    return c.json(unwrap(await changeTenant(actorOf(c), input, c.get("services"))), 200);
  },
);

admin.openapi(
  route({
    "x-act": "deleteTenant",
    method: "delete",
    path: "/v1/admin/tenants/{tenantId}",
    tags,
    security,
    summary: "Delete a tenant and what it holds",
    request: { params: tenantParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    unwrap(await deleteTenant(actorOf(c), c.req.valid("param").tenantId, c.get("services")));
    return c.body(null, 204);
  },
);

admin.openapi(
  route({
    "x-act": "createKey",
    method: "post",
    path: "/v1/admin/tenants/{tenantId}/keys",
    tags,
    security,
    summary: "Make a key, which is shown this once",
    request: { params: tenantParam, body: jsonBody(newKeySchema) },
    responses: { 201: json("The key", z.object({ keyId: z.string(), key: z.string(), role: keySchema.shape.role })) },
  }),
  async (c) => {
    const idempotencyKey = c.req.header("idempotency-key");
    const input = { ...c.req.valid("param"), ...c.req.valid("json"), idempotencyKey };
    return c.json(unwrap(await createKey(actorOf(c), input, c.get("services"))), 201);
  },
);

admin.openapi(
  route({
    "x-act": "listKeys",
    method: "get",
    path: "/v1/admin/tenants/{tenantId}/keys",
    tags,
    security,
    summary: "The keys of a tenant, without their secrets",
    request: { params: tenantParam, query: pageQuery },
    responses: { 200: json("A page of keys", listOf(keySchema)) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await listKeys(actorOf(c), query, c.get("services"))), 200);
  },
);

admin.openapi(
  route({
    "x-act": "deleteKey",
    method: "delete",
    path: "/v1/admin/tenants/{tenantId}/keys/{keyId}",
    tags,
    security,
    summary: "Delete a key: it is refused from then on",
    request: { params: keyParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    unwrap(await deleteKey(actorOf(c), c.req.valid("param"), c.get("services")));
    return c.body(null, 204);
  },
);
