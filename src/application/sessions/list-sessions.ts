/** List the tenant's sessions, or those of a token's subject, newest first: a copy of what the sessions hold, a moment behind them. */
import type { Session } from "../../chat/session.js";
import type { Result } from "../../conversation/problem.js";
import type { SessionFilter } from "../../stores/session-index.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { ownersOf, sessionFor } from "./own-session.js";

export async function listSessions(
  actor: Actor,
  { filter = {}, ...page }: PageRequest & { readonly filter?: SessionFilter | undefined },
  services: Services,
): Promise<Result<Page<Session>>> {
  const allowed = authorize(actor, "listSessions");
  if (!allowed.ok) return allowed;
  const read = async (before: string | undefined, limit: number) => {
    const shown = { ...filter, stateless: false };
    const sessions = await services.near.sessions.sessions(actor.tenantId, shown, before, limit, ownersOf(actor));
    return sessions.map((session) => sessionFor(actor, session));
  };
  return readPage(page, read, ({ sessionId }) => sessionId);
}
