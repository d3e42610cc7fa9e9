/** List the tenant's roundtables, newest first: a copy of what they hold, a moment behind them. */
import type { Result } from "../../conversation/problem.js";
import type { RoundtableSummary } from "../../roundtable/roundtable.js";
import type { RoundtableFilter } from "../../stores/roundtable-index.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";

export async function listRoundtables(
  actor: Actor,
  { filter = {}, ...page }: PageRequest & { readonly filter?: RoundtableFilter | undefined },
  services: Services,
): Promise<Result<Page<RoundtableSummary>>> {
  const allowed = authorize(actor, "listRoundtables");
  if (!allowed.ok) return allowed;
  return readPage(
    page,
    (before, limit) => services.near.roundtables.roundtables(actor.tenantId, filter, before, limit),
    ({ sessionId }) => sessionId,
  );
}
