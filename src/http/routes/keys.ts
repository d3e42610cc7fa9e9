/** The keys of a tenant, for its admin. */
import { z } from "zod";
import { createOwnKey, deleteOwnKey, listOwnKeys } from "../../application/tenants/own-keys.js";
import { keySchema, newKeySchema } from "../../tenancy/tenant.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";

const tags = ["A tenant's own administration"];
const keyParam = z.object({ keyId: z.string().max(100) });

export const keys = newRouter();

keys.openapi(
  route({
    "x-act": "createOwnKey",
    method: "post",
    path: "/v1/keys",
    tags,
    summary: "Make a key, which is shown this once (admins)",
    request: { body: jsonBody(newKeySchema) },
    responses: { 201: json("The key", z.object({ keyId: z.string(), key: z.string(), role: keySchema.shape.role })) },
  }),
  async (c) => {
    const input = { ...c.req.valid("json"), idempotencyKey: c.req.header("idempotency-key") };
    return c.json(unwrap(await createOwnKey(actorOf(c), input, c.get("services"))), 201);
  },
);

keys.openapi(
  route({
    "x-act": "listOwnKeys",
    method: "get",
    path: "/v1/keys",
    tags,
    summary: "The tenant's keys, without their secrets (admins)",
    request: { query: pageQuery },
    responses: { 200: json("A page of keys", listOf(keySchema)) },
  }),
  async (c) => c.json(unwrap(await listOwnKeys(actorOf(c), c.req.valid("query"), c.get("services"))), 200),
);

keys.openapi(
  route({
    "x-act": "deleteOwnKey",
    method: "delete",
    path: "/v1/keys/{keyId}",
    tags,
    summary:
      "Delete a key: it is refused from then on, with the tokens minted with it, and what they have open is closed (admins)",
    description: "The last key of role admin can't be deleted here; who runs the deployment can.",
    request: { params: keyParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    unwrap(await deleteOwnKey(actorOf(c), c.req.valid("param").keyId, c.get("services")));
    return c.body(null, 204);
  },
);
