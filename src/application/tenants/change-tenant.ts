/** Change a tenant's name or settings; a setting that isn't given stays as it is. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { SettingsUpdate, Tenant } from "../../stores/tenant-store.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type SettingsChange, settingsSchema, type TenantChange } from "../../tenancy/tenant.js";
import { doOnce } from "../creation.js";
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
  return applyChange(actor, { tenantId, change }, services);
}

/** Changes a tenant, whoever asked for it. */
export async function applyChange(
  actor: Actor,
  { tenantId, change }: { readonly tenantId: string; readonly change: TenantChange },
  services: Services,
): Promise<Result<TenantView>> {
  const tenant = await findTenant(tenantId, services);
  if (!tenant.ok) return tenant;
  const { name, settings: { jurisdiction, ...settings } = {} } = change;
  const checked = checkProviders(settings.providers ?? {}, services.policy);
  if (!checked.ok) return checked;
  const by = recordOf(actor);
  const done = { by, at: services.now() };
  const apply = async (claim: WorkClaim | undefined): Promise<Result<void>> => {
    if (jurisdiction !== undefined && !(await services.placements.set(tenantId, jurisdiction, done))) return isPlaced;
    const update = { name, settings: await sealed(settings, tenant.value, services) };
    return ok(await services.tenants.change(tenantId, update, by, claim));
  };
  const applied = await doOnce(actor, services, apply, async () => ok(undefined), tenantId);
  if (!applied.ok) return applied;
  const changed = await findTenant(tenantId, services);
  return changed.ok ? ok(tenantView(changed.value)) : changed;
}

const isPlaced = refuse(
  "conflict",
  "This tenant has sessions, runs, roundtables, threads or conversations by now, or was asked for one, and these can't move: its jurisdiction stays. Make another tenant with `settings.jurisdiction`, and store there what is needed.",
);

async function sealed(
  { providers, ...settings }: Omit<SettingsChange, "jurisdiction">,
  { settings: stored }: Tenant,
  { tenants }: Services,
): Promise<SettingsUpdate> {
  if (providers === undefined) return settings;
  const given = settingsSchema.parse({ providers });
  return { ...settings, providers: (await tenants.sealSettings(given, stored.providers)).providers };
}
