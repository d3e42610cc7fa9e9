/** What guards of experiments see: a variant that does worse than its margin is stopped, and whoever had it gets the control. */

import { recordOf } from "../../conversation/actor-record.js";
import { trippedBy } from "../../evidence/experiment-report.js";
import { log } from "../../platform/logging.js";
import { systemActor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";

/** Experiments that are looked at in a minute. */
const mostLookedAt = 500;

export async function guardExperiments(at: number, services: Pick<Services, "experiments">): Promise<void> {
  const store = await services.experiments();
  for (const { tenantId, name, version, experiment } of await store.running(mostLookedAt)) {
    if (experiment.guards.length === 0) continue;
    const tripped = trippedBy(experiment, await store.counts(tenantId, experiment.seed));
    if (tripped.length === 0) continue;
    const now = new Date(at).toISOString();
    const next = { ...experiment, tripped: [...experiment.tripped, ...tripped.map((one) => ({ ...one, at: now }))] };
    const reason = tripped.map(({ variant, metric }) => `${variant}: ${metric}`).join(", ");
    const done = { by: recordOf(systemActor(tenantId, "guard")), at };
    await store.put(tenantId, name, next, version, { decision: "guard_tripped", done, reason });
    log("warn", "experiment.guard_tripped", { tenantId, subject: name, reason });
  }
}
