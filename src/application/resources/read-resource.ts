/** Read a resource as it counts now. */
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type ResourceKind, resourceNouns } from "../../tenancy/resources.js";
import type { Services } from "../services.js";
import { pinnedOf } from "./pinned-view.js";
import { isKnownTo, type ResourceView, resourceView, summaryOf, viewFor } from "./resource-view.js";
import { resourceWarnings } from "./resource-warnings.js";

export interface NamedResource {
  readonly kind: ResourceKind;
  readonly name: string;
}

export async function readResource(
  actor: Actor,
  { kind, name }: NamedResource,
  services: Services,
): Promise<Result<ResourceView>> {
  const allowed = authorize(actor, "readResource");
  if (!allowed.ok) return allowed;
  const view = viewFor(actor, kind);
  if (!view.ok) return view;
  if (!isKnownTo(actor, kind, name)) return noResource(kind, name);
  const resource = await services.near.resources.get(actor.tenantId, kind, name);
  if (resource === undefined) return noResource(kind, name);
  if (view.value === "summary") return ok(summaryOf(resource));
  const warnings = await resourceWarnings(actor.tenantId, kind, resource.body, {
    resources: services.near.resources,
    tenants: services.tenants,
    providers: services.providers,
  });
  return ok({ ...resourceView(resource, warnings), ...(await pinnedOf(actor.tenantId, resource, services)) });
}

export function noResource(kind: ResourceKind, name: string): Result<never> {
  return refuse("not_found", `There is no ${resourceNouns[kind]} "${name}".`);
}
