/** Delete a tenant and all it holds. */
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { removeTenant } from "../removal.js";
import type { Services } from "../services.js";
import { findTenant } from "./tenant-view.js";

export async function deleteTenant(actor: Actor, tenantId: string, services: Services): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteTenant");
  if (!allowed.ok) return allowed;
  const tenant = await findTenant(tenantId, services);
  if (!tenant.ok) return tenant;
  return ok(await removeTenant(tenantId, services));
}
