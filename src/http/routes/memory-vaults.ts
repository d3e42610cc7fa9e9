import type { Context } from "hono";
import { z } from "zod";
import { memorySchema, newMemorySchema, newVaultSchema, type Vault, vaultSchema } from "../../memory/memory.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import { type AppEnv, callerOf, unwrap } from "../context.js";
import { problem } from "../problems.js";
import { decodeCursor, json, jsonBody, listOf, newRouter, pageOf, pageQuery, route } from "../routing.js";

const tags = ["Memory"];
const vaultParam = z.object({ vaultId: z.string().max(100) });
export const memoryParam = z.object({ memoryId: z.string().max(100) });

export const memoryVaults = newRouter();

/** The memory, if it is the caller's. */
export async function memoryOf(c: Context<AppEnv>, memoryId: string): Promise<MemoryRef> {
  const { tenantId } = callerOf(c);
  return unwrap(await c.get("services").memory.memory(tenantId, memoryId));
}

memoryVaults.openapi(
  route({
    method: "post",
    path: "/v1/vaults",
    tags,
    summary: "Make a vault: memories that belong together",
    request: { body: jsonBody(newVaultSchema) },
    responses: { 201: json("The vault", vaultSchema) },
  }),
  async (c) => {
    const { tenantId } = callerOf(c);
    const { memories } = c.get("services").memory.ports;
    const vault = await memories.createVault(tenantId, c.req.valid("json").title);
    c.header("location", `/v1/vaults/${vault.vaultId}`);
    return c.json(vault, 201);
  },
);

memoryVaults.openapi(
  route({
    method: "get",
    path: "/v1/vaults",
    tags,
    summary: "The tenant's vaults",
    request: { query: pageQuery },
    responses: { 200: json("A page of vaults", listOf(vaultSchema)) },
  }),
  async (c) => {
    const { tenantId } = callerOf(c);
    const { limit, cursor } = c.req.valid("query");
    const { memories } = c.get("services").memory.ports;
    const rows = await memories.vaults(tenantId, decodeCursor(cursor) ?? "", limit + 1);
    const page = pageOf(
      rows,
      limit,
      ({ vaultId }) => vaultId,
      (vault) => vault,
    );
    return c.json(page, 200);
  },
);

memoryVaults.openapi(
  route({
    method: "get",
    path: "/v1/vaults/{vaultId}",
    tags,
    summary: "One vault",
    request: { params: vaultParam },
    responses: { 200: json("The vault", vaultSchema) },
  }),
  async (c) => c.json(await vaultOf(c, c.req.valid("param").vaultId), 200),
);

memoryVaults.openapi(
  route({
    method: "delete",
    path: "/v1/vaults/{vaultId}",
    tags,
    summary: "Delete a vault with all its memories",
    request: { params: vaultParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    const { tenantId } = callerOf(c);
    const { vaultId } = await vaultOf(c, c.req.valid("param").vaultId);
    await c.get("services").memory.deleteVault(tenantId, vaultId);
    return c.body(null, 204);
  },
);

memoryVaults.openapi(
  route({
    method: "post",
    path: "/v1/vaults/{vaultId}/memories",
    tags,
    summary: "Make a memory in a vault",
    request: { params: vaultParam, body: jsonBody(newMemorySchema) },
    responses: { 201: json("The memory", memorySchema) },
  }),
  async (c) => {
    const { tenantId } = callerOf(c);
    const { vaultId } = await vaultOf(c, c.req.valid("param").vaultId);
    const { memories } = c.get("services").memory.ports;
    const memory = await memories.createMemory(tenantId, vaultId, c.req.valid("json"));
    c.header("location", `/v1/memories/${memory.memoryId}`);
    return c.json(memory, 201);
  },
);

memoryVaults.openapi(
  route({
    method: "get",
    path: "/v1/vaults/{vaultId}/memories",
    tags,
    summary: "The memories of a vault",
    request: { params: vaultParam, query: pageQuery },
    responses: { 200: json("A page of memories", listOf(memorySchema)) },
  }),
  async (c) => {
    const { tenantId } = callerOf(c);
    const { vaultId } = await vaultOf(c, c.req.valid("param").vaultId);
    const { limit, cursor } = c.req.valid("query");
    const { memories } = c.get("services").memory.ports;
    const rows = await memories.memories(tenantId, vaultId, decodeCursor(cursor) ?? "", limit + 1);
    const page = pageOf(
      rows,
      limit,
      ({ memoryId }) => memoryId,
      (memory) => memory,
    );
    return c.json(page, 200);
  },
);

memoryVaults.openapi(
  route({
    method: "get",
    path: "/v1/memories/{memoryId}",
    tags,
    summary: "One memory",
    request: { params: memoryParam },
    responses: { 200: json("The memory", memorySchema) },
  }),
  async (c) => {
    const { tenantId } = callerOf(c);
    const { memories } = c.get("services").memory.ports;
    const memory = await memories.memory(tenantId, c.req.valid("param").memoryId);
    if (memory === undefined) throw problem("not_found", "There is no such memory.");
    return c.json(memory, 200);
  },
);

memoryVaults.openapi(
  route({
    method: "delete",
    path: "/v1/memories/{memoryId}",
    tags,
    summary: "Delete a memory: its threads, entries and contexts",
    request: { params: memoryParam },
    responses: { 204: { description: "It is gone" } },
  }),
  async (c) => {
    const memory = await memoryOf(c, c.req.valid("param").memoryId);
    await c.get("services").memory.deleteMemory(memory);
    return c.body(null, 204);
  },
);

async function vaultOf(c: Context<AppEnv>, vaultId: string): Promise<Vault> {
  const { tenantId } = callerOf(c);
  const vault = await c.get("services").memory.ports.memories.vault(tenantId, vaultId);
  if (vault === undefined) throw problem("not_found", "There is no such vault.");
  return vault;
}
