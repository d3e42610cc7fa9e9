/** A tenant's own administration: its settings, for its admin. */
import { changeSettings, readSettings } from "../../application/tenants/own-settings.js";
import { tenantChangeSchema, tenantSchema } from "../../tenancy/tenant.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, named, newRouter, route } from "../routing.js";

const tags = ["A tenant's own administration"];

export const tenant = newRouter();

tenant.openapi(
  route({
    "x-act": "readSettings",
    method: "get",
    path: "/v1/tenant",
    tags,
    summary: "The tenant and its settings; credentials are not shown (admins)",
    responses: { 200: json("The tenant", tenantSchema) },
  }),
  async (c) => c.json(unwrap(await readSettings(actorOf(c), c.get("services"))), 200),
);

tenant.openapi(
  route({
    "x-act": "changeSettings",
    method: "patch",
    path: "/v1/tenant",
    tags,
    summary: "Change the tenant's name or settings; a setting that isn't given stays (admins)",
    request: { body: jsonBody(named("TenantChange", tenantChangeSchema)) },
    responses: { 200: json("The tenant", tenantSchema) },
  }),
  async (c) => c.json(unwrap(await changeSettings(actorOf(c), c.req.valid("json"), c.get("services"))), 200),
);
