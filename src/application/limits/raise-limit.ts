/** Let more through a limit for a while: on record, with its reason. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { itemName } from "../../conversation/names.js";
import { problem } from "../../conversation/problem.js";
import { log } from "../../platform/logging.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { type Actor, authorOf } from "../../tenancy/actor.js";
import {
  deploymentLimitViewSchema,
  type LimitView,
  limitViewSchema,
  type NewRaise,
  raiseSchema,
} from "../../tenancy/limits/limit.js";
import { act } from "../act.js";
import type { Services } from "../services.js";
import { copyLimits } from "../system/copy-to-databases.js";
import { doOnceFor, findLimit, limitTag, noLimit } from "./manage-limits.js";

export const raiseLimit = act("raiseLimit", {
  role: "admin",
  route: {
    method: "post",
    path: "/v1/limits/{name}/raise",
    tag: limitTag,
    summary: "Let more through a limit until a time; it is on record (admins)",
    body: "raise",
    answer: "The limit, with what it is raised by",
  },
  input: () => z.object({ name: itemName, raise: raiseSchema() }),
  output: () => limitViewSchema(),
  run: raise,
});

export const raiseDeploymentLimit = act("raiseDeploymentLimit", {
  role: "deployment",
  route: {
    method: "post",
    path: "/v1/admin/limits/{name}/raise",
    tag: limitTag,
    summary: "Let more through a limit of tenants until a time",
    body: "raise",
    answer: "The limit, with what it is raised by",
  },
  input: () => z.object({ name: itemName, raise: raiseSchema() }),
  output: () => deploymentLimitViewSchema(),
  run: async (actor, limit, services) => {
    const raised = await raise(actor, limit, services);
    await copyLimits(services);
    return raised;
  },
});

async function raise(
  actor: Actor,
  { name, raise: { until, ...given } }: { readonly name: string; readonly raise: NewRaise },
  services: Services,
): Promise<LimitView> {
  const at = services.now();
  if (Date.parse(until) <= at) {
    const errors = [{ path: "until", message: "it has to be in the future" }];
    throw problem("invalid", "A raise that is over lets nothing through.", { errors });
  }
  const limit = await findLimit(actor, { name }, services);
  // In one form, so that it can be compared as a text.
  const raised = { ...given, until: new Date(until).toISOString(), author: authorOf(actor) };
  const store = async (claim?: WorkClaim): Promise<void> => {
    const done = { by: recordOf(actor), at };
    if (!(await services.limits.raise(actor.tenantId, limit, raised, done, claim))) throw noLimit(name);
  };
  await doOnceFor(actor, limit, services, store, async () => {});
  log("info", "limit.raised", { tenantId: actor.tenantId, subject: name });
  return findLimit(actor, { name }, services);
}
