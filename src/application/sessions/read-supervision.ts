/** Read what every pass of the supervisors decided in a session, and why: the whole of it is for operators. */
import type { z } from "zod";
import type { passViewSchema } from "../../chat/session.js";
import { ok, type Result } from "../../conversation/problem.js";
import { passForOperators, passForOthers } from "../../supervision/state.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize, hasRole } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readNumberedPage } from "../page.js";
import type { Services } from "../services.js";

type PassView = z.infer<typeof passViewSchema>;

export async function readSupervision(
  actor: Actor,
  query: PageRequest & { readonly sessionId: string },
  services: Services,
): Promise<Result<Page<PassView>>> {
  const allowed = authorize(actor, "readSupervision");
  if (!allowed.ok) return allowed;
  const shown = hasRole(actor, "operator") ? passForOperators : passForOthers;
  return readNumberedPage<PassView>(query, async (after, limit) => {
    const passes = await services.sessions.supervision(actor.tenantId, query.sessionId, after, limit);
    if (!passes.ok) return passes;
    const items = passes.value.items.map(({ turnId, at, ...state }) => ({ ...shown(state), turnId, at }));
    return ok({ items, next: passes.value.next });
  });
}
