/** List the tenant's runs, newest first: a copy of what the runs hold, a moment behind them. */
import type { Result } from "../../conversation/problem.js";
import type { RunSummary } from "../../routing/run.js";
import type { RunFilter } from "../../stores/run-index.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";

export async function listRuns(
  actor: Actor,
  { filter = {}, ...page }: PageRequest & { readonly filter?: RunFilter | undefined },
  services: Services,
): Promise<Result<Page<RunSummary>>> {
  const allowed = authorize(actor, "listRuns");
  if (!allowed.ok) return allowed;
  return readPage(
    page,
    (before, limit) => services.near.runs.runs(actor.tenantId, filter, before, limit),
    ({ runId }) => runId,
  );
}
