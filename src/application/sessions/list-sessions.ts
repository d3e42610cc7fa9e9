/** List the tenant's sessions, newest first: a copy of what the sessions hold, a moment behind them. */
import type { Session } from "../../chat/session.js";
import type { Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";

export async function listSessions(
  actor: Actor,
  page: PageRequest,
  services: Services,
): Promise<Result<Page<Omit<Session, "status">>>> {
  const allowed = authorize(actor, "listSessions");
  if (!allowed.ok) return allowed;
  return readPage(
    page,
    (before, limit) => services.index.sessions(actor.tenantId, before, limit),
    ({ sessionId }) => sessionId,
  );
}
