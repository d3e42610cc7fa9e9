/** Read a resource as it counts now. */
import { z } from "zod";
import { itemName } from "../../conversation/names.js";
import { type ProblemError, problem } from "../../conversation/problem.js";
import { type ResourceKind, resourceKinds, resourceNoun } from "../../tenancy/resources.js";
import { lazily } from "../../text/lazily.js";
import { act } from "../act.js";
import { pinnedOf } from "./pinned-view.js";
import { isKnownTo, type ResourceView, resourceView, summaryOf, viewFor } from "./resource-view.js";
import { resourceWarnings } from "./resource-warnings.js";

export interface NamedResource {
  readonly kind: ResourceKind;
  readonly name: string;
}

/** What an input has that names a resource. */
export const resourceName = lazily(() => ({ kind: z.enum(resourceKinds), name: itemName }));

/** Agents, supervisors, teams and panels are there for those, too, who see them by name and description. */
export const readResource = act("readResource", {
  role: "client",
  ofSubject: true,
  input: () => z.object(resourceName()),
  run: async (actor, { kind, name }, services): Promise<ResourceView> => {
    const view = viewFor(actor, kind);
    if (!isKnownTo(actor, kind, name)) throw noResource(kind, name);
    const resource = await services.near.resources.get(actor.tenantId, kind, name);
    if (resource === undefined) throw noResource(kind, name);
    if (view === "summary") return summaryOf(resource);
    const { tenants, providers, near } = services;
    const stores = { resources: near.resources, tenants, providers };
    const warnings = await resourceWarnings(actor.tenantId, kind, resource.body, stores);
    return { ...resourceView(resource, warnings), ...(await pinnedOf(actor.tenantId, resource, services)) };
  },
});

export function noResource(kind: ResourceKind, name: string): ProblemError {
  return problem("not_found", `There is no ${resourceNoun(kind)} "${name}".`);
}
