/** How acts on a memory begin: whether the actor may, and whether the memory is its tenant's. */
import { ok, type Result } from "../../conversation/problem.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Act } from "../../tenancy/acts.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { noMemory } from "./memory-service.js";

export async function findMemory(
  actor: Actor,
  act: Act,
  memoryId: string,
  services: Services,
): Promise<Result<MemoryRef>> {
  const allowed = authorize(actor, act);
  if (!allowed.ok) return allowed;
  return services.memory.memory(actor.tenantId, memoryId);
}

/**
 * Deletes something of a memory. Where somebody deletes the memory meanwhile, what was to go went with it: then there is no such memory,
 * whatever failed because of that.
 */
export async function deleteOfMemory(
  { tenantId, memoryId }: MemoryRef,
  { memory }: Pick<Services, "memory">,
  remove: () => Promise<Result<void>>,
): Promise<Result<void>> {
  try {
    return await remove();
  } catch (error) {
    const found = await memory.memory(tenantId, memoryId);
    if (!found.ok) return found;
    throw error;
  }
}

/** As {@link findMemory}, for acts that only look up: they may read a replica near their caller. */
export async function lookUpMemory(
  actor: Actor,
  act: Act,
  memoryId: string,
  services: Pick<Services, "near">,
): Promise<Result<MemoryRef>> {
  const allowed = authorize(actor, act);
  if (!allowed.ok) return allowed;
  const memory = await services.near.memories.find(actor.tenantId, memoryId);
  return memory === undefined ? noMemory : ok(memory);
}
