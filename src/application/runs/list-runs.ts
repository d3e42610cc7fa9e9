/** List the tenant's runs, newest first: a copy of what the runs hold, a moment behind them. */
import type { Result } from "../../conversation/problem.js";
import type { RunSummary } from "../../routing/run.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";

export async function listRuns(
  actor: Actor,
  query: PageRequest & { readonly status?: RunSummary["status"] | undefined },
  services: Services,
): Promise<Result<Page<RunSummary>>> {
  const allowed = authorize(actor, "listRuns");
  if (!allowed.ok) return allowed;
  const { status } = query;
  return readPage(
    query,
    (before, limit) => services.runIndex.runs(actor.tenantId, { status }, before, limit),
    ({ runId }) => runId,
  );
}
