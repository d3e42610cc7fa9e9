/** Vaults: created, listed, read, and deleted with all their memories. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { newVaultSchema, vaultSchema } from "../../memory/memory.js";
import { newId } from "../../platform/ids.js";
import { run } from "../../platform/sql.js";
import { insertDeletion } from "../../stores/audit-log.js";
import { act } from "../act.js";
import { claimId } from "../creation.js";
import { listOf, pageInput, readPage } from "../page.js";
import { refuseFor } from "../subjects/on-hold.js";
import { findVault, memoryTag, vaultInput } from "./find-memory.js";

/** A vault made twice under one key is one vault. */
export const createVault = act("createVault", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/vaults",
    tag: memoryTag,
    summary: "Make a vault: memories that belong together",
    body: "vault",
    answer: "The vault",
    status: 201,
    location: "/v1/vaults/{vaultId}",
  },
  input: () => z.object({ vault: newVaultSchema }),
  output: () => vaultSchema,
  run: async (actor, { vault: { title } }, services) => {
    const vaultId = await claimId(actor, newId("vlt"), ["vault", title], services);
    return services.memory.ports.memories.createVault(actor.tenantId, vaultId, title);
  },
});

export const listVaults = act("listVaults", {
  role: "client",
  route: {
    method: "get",
    path: "/v1/vaults",
    tag: memoryTag,
    summary: "The tenant's vaults",
    answer: "A page of vaults",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(vaultSchema),
  run: async ({ tenantId }, page, { near }) => {
    const read = (after = "", limit: number) => near.memories.vaults(tenantId, after, limit);
    return readPage(page, read, ({ vaultId }) => vaultId);
  },
});

export const readVault = act("readVault", {
  role: "client",
  route: { method: "get", path: "/v1/vaults/{vaultId}", tag: memoryTag, summary: "One vault", answer: "The vault" },
  input: () => z.object(vaultInput()),
  output: () => vaultSchema,
  run: (actor, ref, { near }) => findVault(actor, ref, near.memories),
});

export const deleteVault = act("deleteVault", {
  role: "admin",
  route: {
    method: "delete",
    path: "/v1/vaults/{vaultId}",
    tag: memoryTag,
    summary: "Delete a vault with all its memories",
    answer: "It is gone",
  },
  input: () => z.object(vaultInput()),
  run: async (actor, { vaultId }, { db, memory, now, holds }) => {
    await findVault(actor, { vaultId }, memory.ports.memories);
    refuseFor(await holds.inVault(actor.tenantId, vaultId));
    // First: once it is gone, a repetition finds nothing to do.
    const deleted = { type: "vault.deleted", by: recordOf(actor), at: now() } as const;
    await run(db)`${insertDeletion(actor.tenantId, vaultId, deleted)}`;
    await memory.deleteVault(actor.tenantId, vaultId);
  },
});
