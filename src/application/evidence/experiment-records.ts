/** Experiments as they are stored, found and shown. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { problem } from "../../conversation/problem.js";
import { type StoredExperiment, storedExperimentSchema } from "../../evidence/experiment.js";
import { experimentReport } from "../../evidence/experiment-report.js";
import type { ExperimentRecord } from "../../stores/experiment-store.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { lazily } from "../../text/lazily.js";
import type { Services } from "../services.js";
import { named, pinsOf } from "../work-setup.js";

/** What everybody who may read it sees: of its seed nothing, which says who gets what. */
export const experimentViewSchema = lazily(() =>
  storedExperimentSchema()
    .omit({ seed: true, ranges: true })
    .extend({ name: z.string(), version: z.int(), updatedAt: z.iso.datetime() }),
);

export function viewOf({
  name,
  version,
  updatedAt,
  experiment: { seed: _, ranges: __, ...experiment },
}: ExperimentRecord) {
  return { ...experiment, name, version, updatedAt: new Date(updatedAt).toISOString() };
}
export async function put(
  actor: Actor,
  name: string,
  experiment: StoredExperiment,
  version: number,
  decision: string,
  services: Services,
  claim?: WorkClaim,
): Promise<void> {
  const store = await services.experiments();
  const done = { by: recordOf(actor), at: services.now() };
  const { status, seed } = experiment;
  const said =
    status === "draft" ? undefined : experimentReport(experiment, await store.counts(actor.tenantId, seed)).summary;
  const written = await store.put(actor.tenantId, name, experiment, version, {
    ...{ decision, done, claim },
    ...(said === undefined ? {} : { reason: said }),
  });
  if (!written) throw problem("conflict", "Somebody else has changed the experiment meanwhile. Read it and try again.");
}

export async function find(tenantId: string, name: string, services: Services): Promise<ExperimentRecord> {
  const found = await (await services.experiments()).get(tenantId, name);
  if (found === undefined)
    throw problem("not_found", `There is no experiment "${name}". Store it with PUT /v1/experiments/${name}.`);
  return found;
}

export async function checkAgents(tenantId: string, agents: readonly string[], { resources }: Services): Promise<void> {
  const pins = pinsOf("agents", await resources.pins(tenantId, named("agents", agents)));
  const absent = agents.find((agent) => !pins.some(({ name }) => name === agent));
  if (absent !== undefined)
    throw problem("invalid", `There is no agent "${absent}". Store it first.`, {
      errors: [{ path: "experiment", message: `there is no agent "${absent}"` }],
    });
}
