/** Change a tenant's name or settings; a setting that isn't given stays as it is. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { problem } from "../../conversation/problem.js";
import type { SettingsUpdate } from "../../stores/settings-writes.js";
import type { Tenant } from "../../stores/tenant-store.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import type { Actor } from "../../tenancy/actor.js";
import {
  type SettingsChange,
  settingsSchema,
  type TenantChange,
  tenantChangeSchema,
  tenantSchema,
} from "../../tenancy/tenant.js";
import { act } from "../act.js";
import { doOnce } from "../creation.js";
import type { Services } from "../services.js";
import { checkProviders } from "./provider-checks.js";
import { findTenant, type TenantView, tenantView } from "./tenant-view.js";

export const changeTenant = act("changeTenant", {
  role: "deployment",
  route: {
    method: "patch",
    path: "/v1/admin/tenants/{tenantId}",
    tag: "Tenants and keys",
    summary: "Change a tenant's name or settings; a setting that isn't given stays; `embeddings: null` takes them away",
    body: "change",
    answer: "The tenant",
  },
  input: () => z.object({ tenantId: z.string().max(100), change: tenantChangeSchema }),
  output: () => tenantSchema,
  run: (actor, { tenantId, change }, services) => applyChange(actor, tenantId, change, services),
});

/** Changes a tenant, whoever asked for it. */
export async function applyChange(
  actor: Actor,
  tenantId: string,
  change: TenantChange,
  services: Services,
): Promise<TenantView> {
  const tenant = await findTenant(tenantId, services);
  const { name, settings: { jurisdiction, ...settings } = {} } = change;
  await checkProviders(tenantId, settings.providers ?? {}, services);
  const by = recordOf(actor);
  const done = { by, at: services.now() };
  const apply = async (claim?: WorkClaim): Promise<void> => {
    if (jurisdiction !== undefined && !(await services.placements.set(tenantId, jurisdiction, done)))
      throw problem("conflict", isPlaced);
    const update = { name, settings: await sealedChange(settings, tenant, services) };
    await services.tenants.change(tenantId, update, by, claim);
  };
  await doOnce(actor, services, apply, async () => {}, tenantId);
  return tenantView(await findTenant(tenantId, services), services);
}

const isPlaced =
  "This tenant has sessions, runs, roundtables, threads or conversations by now, or was asked for one, and these can't move: its jurisdiction stays. Make another tenant with `settings.jurisdiction`, and store there what is needed.";

/** The change with its credentials sealed; one that is stored already stays as it is. */
export async function sealedChange(
  { providers, ...settings }: Omit<SettingsChange, "jurisdiction">,
  { settings: stored }: Tenant,
  { tenants }: Services,
): Promise<SettingsUpdate> {
  if (providers === undefined) return settings;
  const given = settingsSchema.parse({ providers });
  return { ...settings, providers: (await tenants.sealSettings(given, stored.providers)).providers };
}
