/** Read what a session includes and excludes, and how it came to that. */
import type { ContextView } from "../../chat/context.js";
import type { Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

export async function readSessionContext(
  actor: Actor,
  sessionId: string,
  services: Services,
): Promise<Result<ContextView>> {
  const allowed = authorize(actor, "readSessionContext");
  if (!allowed.ok) return allowed;
  return services.sessions.context(actor.tenantId, sessionId);
}
