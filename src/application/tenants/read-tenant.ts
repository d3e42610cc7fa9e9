/** Read a tenant and its settings. */
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { findTenant, type TenantView, tenantView } from "./tenant-view.js";

export async function readTenant(actor: Actor, tenantId: string, services: Services): Promise<Result<TenantView>> {
  const allowed = authorize(actor, "readTenant");
  if (!allowed.ok) return allowed;
  const tenant = await findTenant(tenantId, services);
  return tenant.ok ? ok(tenantView(tenant.value)) : tenant;
}
