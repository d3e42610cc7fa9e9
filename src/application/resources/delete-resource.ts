/** Delete a resource. Turns under way keep the version they began with. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { doOnce } from "../creation.js";
import type { Services } from "../services.js";
import { type NamedResource, noResource } from "./read-resource.js";

export async function deleteResource(
  actor: Actor,
  { kind, name }: NamedResource,
  services: Services,
): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteResource");
  if (!allowed.ok) return allowed;
  const remove = async (claim: WorkClaim | undefined): Promise<Result<void>> => {
    const wasThere = await services.resources.remove(actor.tenantId, kind, name, recordOf(actor), claim);
    return wasThere ? ok(undefined) : noResource(kind, name);
  };
  return doOnce(actor, services, remove, async () => ok(undefined));
}
