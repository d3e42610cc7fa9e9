/** Delete a key: it is refused from then on. */
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

export async function deleteKey(
  actor: Actor,
  { tenantId, keyId }: { readonly tenantId: string; readonly keyId: string },
  services: Services,
): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteKey");
  if (!allowed.ok) return allowed;
  const wasThere = await services.tenants.removeKey(tenantId, keyId);
  return wasThere ? ok(undefined) : refuse("not_found", "There is no such key of this tenant.");
}
