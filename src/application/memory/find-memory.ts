/** How acts on a memory begin: whether the actor may, and whether the memory is its tenant's. */
import type { Result } from "../../conversation/problem.js";
import type { MemoryRef } from "../../stores/memory/memory-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { type Act, authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

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
