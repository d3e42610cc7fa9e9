/** Change a tenant's name or settings; a setting that isn't given stays as it is. */
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import {
  type SettingsChange,
  type StoredSettings,
  settingsSchema,
  storedSettingsSchema,
  type TenantChange,
} from "../../tenancy/tenant.js";
import type { Services } from "../services.js";
import { checkProviders } from "./provider-checks.js";
import { findTenant, type TenantView, tenantView } from "./tenant-view.js";

export async function changeTenant(
  actor: Actor,
  { tenantId, change }: { readonly tenantId: string; readonly change: TenantChange },
  services: Services,
): Promise<Result<TenantView>> {
  const allowed = authorize(actor, "changeTenant");
  if (!allowed.ok) return allowed;
  const tenant = await findTenant(tenantId, services);
  if (!tenant.ok) return tenant;
  const { name = tenant.value.name, settings = {} } = change;
  const checked = checkProviders(settings.providers ?? {}, services.policy);
  if (!checked.ok) return checked;
  await services.tenants.update(tenantId, name, await changedSettings(tenant.value.settings, settings, services));
  const changed = await findTenant(tenantId, services);
  return changed.ok ? ok(tenantView(changed.value)) : changed;
}

async function changedSettings(
  current: StoredSettings,
  { providers, embeddings, ...others }: SettingsChange,
  { tenants }: Services,
): Promise<StoredSettings> {
  const sealed = providers === undefined ? current : await tenants.sealSettings(settingsSchema.parse({ providers }));
  return storedSettingsSchema.parse({
    ...current,
    ...others,
    ...(embeddings === undefined ? {} : { embeddings: embeddings ?? undefined }),
    providers: sealed.providers,
  });
}
