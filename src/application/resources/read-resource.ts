/** Read a resource as it counts now. */
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type ResourceKind, resourceNouns } from "../../tenancy/resources.js";
import type { Services } from "../services.js";
import { type ResourceView, resourceView } from "./resource-view.js";

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
  const resource = await services.resources.get(actor.tenantId, kind, name);
  return resource === undefined ? noResource(kind, name) : ok(resourceView(resource));
}

export function noResource(kind: ResourceKind, name: string): Result<never> {
  return refuse("not_found", `There is no ${resourceNouns[kind]} "${name}".`);
}
