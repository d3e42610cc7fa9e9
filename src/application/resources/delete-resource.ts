/** Delete a resource. Turns under way keep the version they began with. */
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { type NamedResource, noResource } from "./read-resource.js";

export async function deleteResource(
  actor: Actor,
  { kind, name }: NamedResource,
  services: Services,
): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteResource");
  if (!allowed.ok) return allowed;
  const wasThere = await services.resources.remove(actor.tenantId, kind, name);
  return wasThere ? ok(undefined) : noResource(kind, name);
}
