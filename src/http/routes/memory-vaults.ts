/** Vaults and the memories in them. */
import { z } from "zod";
import {
  createMemory,
  deleteMemory,
  ensureMemory,
  findMemories,
  listMemories,
  readMemory,
} from "../../application/memory/manage-memories.js";
import { createVault, deleteVault, listVaults, readVault } from "../../application/memory/manage-vaults.js";
import { externalIdSchema, subjectSchema } from "../../conversation/names.js";
import { memorySchema, newMemorySchema, newVaultSchema, vaultSchema } from "../../memory/memory.js";
import { actorOf, unwrap } from "../context.js";
import { metadataFilter } from "../query.js";
import { json, jsonBody, listOf, newRouter, pageQuery, route } from "../routing.js";

const tags = ["Memory"];
const vaultParam = z.object({ vaultId: z.string().max(100) });
export const memoryParam = z.object({ memoryId: z.string().max(100) });

/** What a description says of writing a text to a memory. */
export const supervisedWrite =
  "Nothing is stored of what the tenant's supervisors don't let pass (422), nor while its settings name a supervisor that was deleted (409).";

export const memoryVaults = newRouter();

memoryVaults.openapi(
  route({
    "x-act": "createVault",
    method: "post",
    path: "/v1/vaults",
    tags,
    summary: "Make a vault: memories that belong together",
    request: { body: jsonBody(newVaultSchema) },
    responses: { 201: json("The vault", vaultSchema) },
  }),
  async (c) => {
    const input = { ...c.req.valid("json"), idempotencyKey: c.req.header("idempotency-key") };
    const vault = unwrap(await createVault(actorOf(c), input, c.get("services")));
    c.header("location", `/v1/vaults/${vault.vaultId}`);
    return c.json(vault, 201);
  },
);

memoryVaults.openapi(
  route({
    "x-act": "listVaults",
    method: "get",
    path: "/v1/vaults",
    tags,
    summary: "The tenant's vaults",
    request: { query: pageQuery },
    responses: { 200: json("A page of vaults", listOf(vaultSchema)) },
  }),
  async (c) => c.json(unwrap(await listVaults(actorOf(c), c.req.valid("query"), c.get("services"))), 200),
);

memoryVaults.openapi(
  route({
    "x-act": "readVault",
    method: "get",
    path: "/v1/vaults/{vaultId}",
    tags,
    summary: "One vault",
    request: { params: vaultParam },
    responses: { 200: json("The vault", vaultSchema) },
  }),
  async (c) => c.json(unwrap(await readVault(actorOf(c), c.req.valid("param").vaultId, c.get("services"))), 200),
);

memoryVaults.openapi(
  route({
    "x-act": "deleteVault",
    method: "delete",
    path: "/v1/vaults/{vaultId}",
    tags,
    summary: "Delete a vault with all its memories",
    request: { params: vaultParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    unwrap(await deleteVault(actorOf(c), c.req.valid("param").vaultId, c.get("services")));
    return c.body(null, 204);
  },
);

memoryVaults.openapi(
  route({
    "x-act": "createMemory",
    method: "post",
    path: "/v1/vaults/{vaultId}/memories",
    tags,
    summary: "Make a memory in a vault",
    request: { params: vaultParam, body: jsonBody(newMemorySchema) },
    responses: { 201: json("The memory", memorySchema) },
  }),
  async (c) => {
    const idempotencyKey = c.req.header("idempotency-key");
    const input = { ...c.req.valid("param"), memory: c.req.valid("json"), idempotencyKey };
    const memory = unwrap(await createMemory(actorOf(c), input, c.get("services")));
    c.header("location", `/v1/memories/${memory.memoryId}`);
    return c.json(memory, 201);
  },
);

memoryVaults.openapi(
  route({
    "x-act": "createMemory",
    method: "put",
    path: "/v1/vaults/{vaultId}/memories/by-external-id/{externalId}",
    tags,
    summary: "The memory that has your own id: the one there is, or a new one in this vault",
    description: "However many ask at the same time, one memory is made. Of one that is there nothing is changed.",
    request: { params: vaultParam.extend({ externalId: externalIdSchema }), body: jsonBody(newMemorySchema) },
    responses: { 200: json("The one there is", memorySchema), 201: json("A new one", memorySchema) },
  }),
  async (c) => {
    const input = { ...c.req.valid("param"), memory: c.req.valid("json") };
    const { memory, created } = unwrap(await ensureMemory(actorOf(c), input, c.get("services")));
    c.header("location", `/v1/memories/${memory.memoryId}`);
    return c.json(memory, created ? 201 : 200);
  },
);

const memoriesQuery = pageQuery
  .extend({ subject: subjectSchema.optional(), externalId: externalIdSchema.optional() })
  .catchall(z.string());

memoryVaults.openapi(
  route({
    "x-act": "findMemories",
    method: "get",
    path: "/v1/memories",
    tags,
    summary: "The memories of all vaults",
    description: "`metadata.x=y` finds those whose metadata has `y` under `x`.",
    request: { query: memoriesQuery },
    responses: { 200: json("A page of memories", listOf(memorySchema)) },
  }),
  async (c) => {
    const { limit, cursor, subject, externalId, ...rest } = c.req.valid("query");
    const query = { limit, cursor, filter: { subject, externalId, metadata: metadataFilter(rest) } };
    return c.json(unwrap(await findMemories(actorOf(c), query, c.get("services"))), 200);
  },
);

memoryVaults.openapi(
  route({
    "x-act": "listMemories",
    method: "get",
    path: "/v1/vaults/{vaultId}/memories",
    tags,
    summary: "The memories of a vault",
    request: { params: vaultParam, query: pageQuery },
    responses: { 200: json("A page of memories", listOf(memorySchema)) },
  }),
  async (c) => {
    const query = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(unwrap(await listMemories(actorOf(c), query, c.get("services"))), 200);
  },
);

memoryVaults.openapi(
  route({
    "x-act": "readMemory",
    method: "get",
    path: "/v1/memories/{memoryId}",
    tags,
    summary: "One memory",
    request: { params: memoryParam },
    responses: { 200: json("The memory", memorySchema) },
  }),
  async (c) => c.json(unwrap(await readMemory(actorOf(c), c.req.valid("param").memoryId, c.get("services"))), 200),
);

memoryVaults.openapi(
  route({
    "x-act": "deleteMemory",
    method: "delete",
    path: "/v1/memories/{memoryId}",
    tags,
    summary: "Delete a memory: its threads, entries and contexts",
    request: { params: memoryParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    unwrap(await deleteMemory(actorOf(c), c.req.valid("param").memoryId, c.get("services")));
    return c.body(null, 204);
  },
);
