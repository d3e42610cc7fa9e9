/** Create a key of a tenant, which is given out this once. */
import type { z } from "zod";
import type { Role } from "../../asks/ask.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { newKeySchema } from "../../tenancy/tenant.js";
import type { Services } from "../services.js";
import { findTenant } from "./tenant-view.js";

export type KeyInput = z.infer<typeof newKeySchema> & { readonly tenantId: string };

export async function createKey(
  actor: Actor,
  { tenantId, role, label }: KeyInput,
  services: Services,
): Promise<Result<{ keyId: string; key: string; role: Role }>> {
  const allowed = authorize(actor, "createKey");
  if (!allowed.ok) return allowed;
  const tenant = await findTenant(tenantId, services);
  if (!tenant.ok) return tenant;
  return ok({ ...(await services.tenants.createKey(tenantId, role, label)), role });
}
