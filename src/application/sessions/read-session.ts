/** Read a session as it is now. */
import type { Session } from "../../chat/session.js";
import type { Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

export async function readSession(actor: Actor, sessionId: string, services: Services): Promise<Result<Session>> {
  const allowed = authorize(actor, "readSession");
  if (!allowed.ok) return allowed;
  return services.sessions.describe(actor.tenantId, sessionId);
}
