/** Memories of a vault: created, listed, read, and deleted with their threads, entries and contexts. */
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { NewMemory } from "../../memory/memory.js";
import type { Memory } from "../../stores/memory/memory-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { findMemory } from "./find-memory.js";
import { findVault } from "./manage-vaults.js";

export async function createMemory(
  actor: Actor,
  { vaultId, memory }: { readonly vaultId: string; readonly memory: NewMemory },
  services: Services,
): Promise<Result<Memory>> {
  const vault = await findVault(actor, "createMemory", vaultId, services);
  if (!vault.ok) return vault;
  return ok(await services.memory.ports.memories.createMemory(actor.tenantId, vaultId, memory));
}

export async function listMemories(
  actor: Actor,
  query: PageRequest & { readonly vaultId: string },
  services: Services,
): Promise<Result<Page<Memory>>> {
  const vault = await findVault(actor, "listMemories", query.vaultId, services);
  if (!vault.ok) return vault;
  const { memories } = services.memory.ports;
  return readPage(
    query,
    (after = "", limit) => memories.memories(actor.tenantId, query.vaultId, after, limit),
    ({ memoryId }) => memoryId,
  );
}

export async function readMemory(actor: Actor, memoryId: string, services: Services): Promise<Result<Memory>> {
  const allowed = authorize(actor, "readMemory");
  if (!allowed.ok) return allowed;
  const memory = await services.memory.ports.memories.memory(actor.tenantId, memoryId);
  return memory === undefined ? refuse("not_found", "There is no such memory.") : ok(memory);
}

export async function deleteMemory(actor: Actor, memoryId: string, services: Services): Promise<Result<void>> {
  const memory = await findMemory(actor, "deleteMemory", memoryId, services);
  if (!memory.ok) return memory;
  return ok(await services.memory.deleteMemory(memory.value));
}
