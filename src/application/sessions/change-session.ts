/** Change what is noted on a session: its metadata, and its subject where it has none yet. */
import type { Session, SessionChange } from "../../chat/session.js";
import type { Result } from "../../conversation/problem.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

export async function changeSession(
  actor: Actor,
  { sessionId, change }: { readonly sessionId: string; readonly change: SessionChange },
  services: Services,
): Promise<Result<Session>> {
  const allowed = authorize(actor, "changeSession");
  if (!allowed.ok) return allowed;
  return services.sessions.change(actor.tenantId, sessionId, change, commandOf(actor));
}
