/** Cancel a run that hasn't ended; its open asks are cancelled with it. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Run } from "../../routing/run.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { runFor } from "./run-for.js";

export async function cancelRun(actor: Actor, runId: string, services: Services): Promise<Result<Run>> {
  const allowed = authorize(actor, "cancelRun");
  if (!allowed.ok) return allowed;
  const run = await services.runs.cancel(actor.tenantId, runId, recordOf(actor));
  return run.ok ? ok(runFor(actor, run.value)) : run;
}
