/** A tenant's own settings, read and changed by its admin. */
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { TenantChange } from "../../tenancy/tenant.js";
import type { Services } from "../services.js";
import { applyChange } from "./change-tenant.js";
import { findTenant, type TenantView, tenantView } from "./tenant-view.js";

export async function readSettings(actor: Actor, services: Services): Promise<Result<TenantView>> {
  const allowed = authorize(actor, "readSettings");
  if (!allowed.ok) return allowed;
  const tenant = await findTenant(actor.tenantId, services);
  return tenant.ok ? ok(tenantView(tenant.value)) : tenant;
}

export async function changeSettings(
  actor: Actor,
  change: TenantChange,
  services: Services,
): Promise<Result<TenantView>> {
  const allowed = authorize(actor, "changeSettings");
  if (!allowed.ok) return allowed;
  return applyChange(actor, { tenantId: actor.tenantId, change }, services);
}
