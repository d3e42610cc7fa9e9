/** Read the rules of the memory agent as they hold for this tenant. */
import { ok, type Result } from "../../conversation/problem.js";
import type { MemoryPrompts } from "../../memory/prompts.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { memoryPrompts } from "./memory-prompts.js";

export async function readPrompts(actor: Actor, services: Services): Promise<Result<{ prompts: MemoryPrompts }>> {
  const allowed = authorize(actor, "readPrompts");
  if (!allowed.ok) return allowed;
  return ok({ prompts: await memoryPrompts(services.resources, actor.tenantId) });
}
