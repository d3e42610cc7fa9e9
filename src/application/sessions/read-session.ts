/** Read a session as it is now. */
import type { Session } from "../../chat/session.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { isOwn, noSession, sessionFor } from "./own-session.js";

export async function readSession(actor: Actor, sessionId: string, services: Services): Promise<Result<Session>> {
  const allowed = authorize(actor, "readSession");
  if (!allowed.ok) return allowed;
  const session = await services.sessions.describe(actor.tenantId, sessionId);
  if (!session.ok || actor.role !== "user") return session;
  const isReached = actor.only?.sessionId === undefined || actor.only.sessionId === sessionId;
  return isReached && isOwn(actor, session.value) ? ok(sessionFor(actor, session.value)) : noSession;
}
