/** Wait until messages are stored, indexed or in the context, and report what was reached. */
import type { Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";
import { findMemory } from "./find-memory.js";
import type { Consistency, ConsistencyGoal } from "./memory-service.js";

export async function awaitConsistency(
  actor: Actor,
  { memoryId, ...goal }: ConsistencyGoal & { readonly memoryId: string },
  services: Services,
): Promise<Result<Consistency>> {
  const memory = await findMemory(actor, "awaitConsistency", memoryId, services);
  if (!memory.ok) return memory;
  return services.memory.awaitConsistency(memory.value, goal);
}
