/** Memories of a vault: created, listed, read, and deleted with their threads, entries and contexts. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { NewMemory } from "../../memory/memory.js";
import { newId } from "../../platform/ids.js";
import { insertDeletion } from "../../stores/audit-log.js";
import type { Memory, MemoryFilter } from "../../stores/memory/memory-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { claimId, externalIdTaken } from "../creation.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { findMemory } from "./find-memory.js";
import { findVault, lookUpVault } from "./manage-vaults.js";

export async function createMemory(
  actor: Actor,
  {
    vaultId,
    memory,
    idempotencyKey,
  }: {
    readonly vaultId: string;
    readonly memory: NewMemory;
    /** A memory made twice under one key is one memory. */
    readonly idempotencyKey?: string | undefined;
  },
  services: Services,
): Promise<Result<Memory>> {
  const vault = await findVault(actor, "createMemory", vaultId, services);
  if (!vault.ok) return vault;
  const request = ["memory", vaultId, memory];
  const claimed = await claimId(actor, newId("mem"), { request, idempotencyKey }, services);
  if (!claimed.ok) return claimed;
  const ref = { tenantId: actor.tenantId, vaultId, memoryId: claimed.value };
  const made = await services.memory.ports.memories.createMemory(ref, memory);
  const { memoryId, externalId = "" } = made.memory;
  return memoryId === claimed.value ? ok(made.memory) : externalIdTaken(externalId, memoryId);
}

/** The memory that has the caller's own id, made in this vault if there is none: once, however many ask at the same time. */
export async function ensureMemory(
  actor: Actor,
  input: { readonly vaultId: string; readonly externalId: string; readonly memory: NewMemory },
  services: Services,
): Promise<Result<{ memory: Memory; created: boolean }>> {
  const { vaultId, externalId } = input;
  const vault = await findVault(actor, "createMemory", vaultId, services);
  if (!vault.ok) return vault;
  if (input.memory.externalId !== undefined && input.memory.externalId !== externalId) {
    const errors = [{ path: "externalId", message: "it is another one than in the path" }];
    return refuse("invalid", "The body and the path name different externalIds; leave it out of the body.", { errors });
  }
  const ref = { tenantId: actor.tenantId, vaultId, memoryId: newId("mem") };
  const made = await services.memory.ports.memories.createMemory(ref, { ...input.memory, externalId });
  if (made.memory.vaultId !== vaultId) return externalIdTaken(externalId, made.memory.memoryId);
  return ok(made);
}

/** The memories of all vaults. */
export async function findMemories(
  actor: Actor,
  { filter = {}, ...page }: PageRequest & { readonly filter?: MemoryFilter | undefined },
  services: Services,
): Promise<Result<Page<Memory>>> {
  const allowed = authorize(actor, "findMemories");
  if (!allowed.ok) return allowed;
  const { memories } = services.near;
  return readPage(
    page,
    (after = "", limit) => memories.memories(actor.tenantId, filter, after, limit),
    ({ memoryId }) => memoryId,
  );
}

export async function listMemories(
  actor: Actor,
  query: PageRequest & { readonly vaultId: string },
  services: Services,
): Promise<Result<Page<Memory>>> {
  const vault = await lookUpVault(actor, "listMemories", query.vaultId, services);
  if (!vault.ok) return vault;
  const { memories } = services.near;
  return readPage(
    query,
    (after = "", limit) => memories.memories(actor.tenantId, { vaultId: query.vaultId }, after, limit),
    ({ memoryId }) => memoryId,
  );
}

export async function readMemory(actor: Actor, memoryId: string, services: Services): Promise<Result<Memory>> {
  const allowed = authorize(actor, "readMemory");
  if (!allowed.ok) return allowed;
  const memory = await services.near.memories.memory(actor.tenantId, memoryId);
  return memory === undefined ? refuse("not_found", "There is no such memory.") : ok(memory);
}

export async function deleteMemory(actor: Actor, memoryId: string, services: Services): Promise<Result<void>> {
  const memory = await findMemory(actor, "deleteMemory", memoryId, services);
  if (!memory.ok) return memory;
  // First: once it is gone, a repetition finds nothing to do.
  const deleted = { type: "memory.deleted", by: recordOf(actor), at: services.now() } as const;
  await insertDeletion(services.db, actor.tenantId, memoryId, deleted).run();
  return ok(await services.memory.deleteMemory(memory.value));
}
