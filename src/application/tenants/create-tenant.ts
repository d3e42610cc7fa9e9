/** Create a tenant and its first key, which is given out this once. */
import type { z } from "zod";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { newTenantSchema } from "../../tenancy/tenant.js";
import type { Services } from "../services.js";
import { checkProviders } from "./provider-checks.js";

export async function createTenant(
  actor: Actor,
  { name, settings }: z.infer<typeof newTenantSchema>,
  services: Services,
): Promise<Result<{ tenantId: string; key: string }>> {
  const allowed = authorize(actor, "createTenant");
  if (!allowed.ok) return allowed;
  const checked = checkProviders(settings.providers, services.policy);
  if (!checked.ok) return checked;
  return ok(await services.tenants.create(name, settings));
}
