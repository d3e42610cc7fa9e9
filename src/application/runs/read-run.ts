/** Read a run as it is now, or wait for it to end or to wait itself. */
import { ok, type Result } from "../../conversation/problem.js";
import type { Run } from "../../routing/run.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { runFor } from "./run-for.js";

/** @param query `waitMs`: how long its end is waited for, in milliseconds */
export async function readRun(
  actor: Actor,
  { runId, waitMs }: { readonly runId: string; readonly waitMs: number },
  services: Services,
): Promise<Result<Run>> {
  const allowed = authorize(actor, "readRun");
  if (!allowed.ok) return allowed;
  const run = await services.runs.describe(actor.tenantId, runId, waitMs);
  return run.ok ? ok(runFor(actor, run.value)) : run;
}
