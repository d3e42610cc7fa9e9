/** A tenant as who runs the deployment sees it: without credentials. */
import type { z } from "zod";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Tenant } from "../../stores/tenant-store.js";
import type { tenantSchema } from "../../tenancy/tenant.js";
import type { Services } from "../services.js";

export type TenantView = z.infer<typeof tenantSchema>;

export function tenantView({ tenantId, name, settings, jurisdiction, createdAt }: Tenant): TenantView {
  const providers = Object.fromEntries(
    Object.entries(settings.providers).map(([provider, { baseUrl }]) => [provider, { baseUrl }]),
  );
  const shown = { ...settings, providers, ...(jurisdiction === undefined ? {} : { jurisdiction }) };
  return { tenantId, name, settings: shown, createdAt: new Date(createdAt).toISOString() };
}

export async function findTenant(tenantId: string, { tenants }: Services): Promise<Result<Tenant>> {
  const tenant = await tenants.get(tenantId);
  return tenant === undefined ? refuse("not_found", "There is no such tenant.") : ok(tenant);
}
