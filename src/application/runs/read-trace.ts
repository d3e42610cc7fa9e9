/** Read everything that happened in a run, and the same as a story. */
import type { Result } from "../../conversation/problem.js";
import type { RunTrace } from "../../routing/trace.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

export async function readTrace(actor: Actor, runId: string, services: Services): Promise<Result<RunTrace>> {
  const allowed = authorize(actor, "readTrace");
  if (!allowed.ok) return allowed;
  return services.runs.trace(actor.tenantId, runId);
}
