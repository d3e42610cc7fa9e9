/** A tenant as who runs the deployment sees it: without credentials. */
import type { z } from "zod";
import { defined } from "../../conversation/defined.js";
import { problem } from "../../conversation/problem.js";
import { referredSecret } from "../../conversation/secret-text.js";
import type { Tenant } from "../../stores/tenant-store.js";
import type { tenantSchema } from "../../tenancy/tenant.js";
import type { Services } from "../services.js";

export type TenantView = z.infer<typeof tenantSchema>;

export function tenantView(
  { tenantId, name, settings, jurisdiction, createdAt }: Tenant,
  { database }: Pick<Services, "database">,
): TenantView {
  const providers = Object.fromEntries(
    Object.entries(settings.providers).map(([provider, { baseUrl, sealedApiKey }]) => {
      const named = referredSecret(sealedApiKey);
      return [provider, { baseUrl, ...defined({ apiKey: named === undefined ? undefined : { $secret: named } }) }];
    }),
  );
  const shown = { ...settings, providers, ...defined({ jurisdiction }) };
  return {
    tenantId,
    name,
    settings: shown,
    database,
    createdAt: new Date(createdAt).toISOString(),
  };
}

export async function findTenant(tenantId: string, { tenants }: Services): Promise<Tenant> {
  const tenant = await tenants.get(tenantId);
  if (tenant === undefined) throw problem("not_found", "There is no such tenant.");
  return tenant;
}
