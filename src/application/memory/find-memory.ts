/** How acts on a memory or a vault find it: it is its tenant's, or there is none. */
import { z } from "zod";
import { need, problem } from "../../conversation/problem.js";
import type { Vault } from "../../memory/memory.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { lazily } from "../../text/lazily.js";
import type { Services } from "../services.js";
import { noMemory } from "./memory-service.js";
import { isOwnMemory } from "./own-memory.js";

export const memoryTag = "Memory";

/** What a description says of writing a text to a memory. */
export const supervisedWrite =
  "Nothing is stored of what the tenant's supervisors don't let pass (422), nor while its settings name a supervisor that was deleted (409).";

/** Fields of acts' inputs. */
export const vaultInput = lazily(() => ({ vaultId: z.string().max(100) }));
export const memoryInput = lazily(() => ({ memoryId: z.string().max(100) }));

/** Of another subject's an end user isn't even told that it is there. */
export async function findMemory(
  actor: Actor,
  { memoryId }: { readonly memoryId: string },
  { memory }: Pick<Services, "memory">,
): Promise<MemoryRef> {
  const found = await memory.memory(actor.tenantId, memoryId);
  return isOwnMemory(actor, found.ok ? found.value : {}) ? need(found) : need(noMemory);
}

/** As {@link findMemory}, for acts that only look up: they may read a replica near their caller. Whose it is a replica doesn't decide. */
export async function lookUpMemory(
  actor: Actor,
  { memoryId }: { readonly memoryId: string },
  { near, memory }: Pick<Services, "near" | "memory">,
): Promise<MemoryRef> {
  if (actor.role === "user") return findMemory(actor, { memoryId }, { memory });
  return (await near.memories.find(actor.tenantId, memoryId)) ?? need(noMemory);
}

/** @param memories `near.memories` for what only looks up */
export async function findVault(
  { tenantId }: Actor,
  { vaultId }: { readonly vaultId: string },
  memories: Pick<Services["near"]["memories"], "vault">,
): Promise<Vault> {
  const vault = await memories.vault(tenantId, vaultId);
  if (vault === undefined) throw problem("not_found", "There is no such vault.");
  return vault;
}

/**
 * Deletes something of a memory. Where somebody deletes the memory meanwhile, what was to go went with it: then there is no such memory,
 * whatever failed because of that.
 */
export async function deleteOfMemory(
  { tenantId, memoryId }: MemoryRef,
  { memory }: Pick<Services, "memory">,
  remove: () => Promise<void>,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    need(await memory.memory(tenantId, memoryId));
    throw error;
  }
}
