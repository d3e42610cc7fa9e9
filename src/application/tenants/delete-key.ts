/** Delete a key: it is refused from then on, and what it has open is closed. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { disconnect } from "../connections.js";
import type { Services } from "../services.js";

export async function deleteKey(
  actor: Actor,
  { tenantId, keyId }: { readonly tenantId: string; readonly keyId: string },
  services: Services,
): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteKey");
  if (!allowed.ok) return allowed;
  const wasThere = await services.tenants.removeKey(tenantId, keyId, recordOf(actor));
  // Also for one that was deleted before: a deletion that was interrupted goes on.
  await disconnect(tenantId, keyId, services);
  return wasThere ? ok(undefined) : refuse("not_found", "There is no such key of this tenant.");
}
