/** Create a tenant and its first key, which is given out this once. */
import type { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { newTenantSchema } from "../../tenancy/tenant.js";
import { claimRefused, creationKey } from "../creation.js";
import type { Services } from "../services.js";
import { checkProviders } from "./provider-checks.js";

export async function createTenant(
  actor: Actor,
  input: z.infer<typeof newTenantSchema> & {
    /** A tenant made twice under one key is one tenant. */
    readonly idempotencyKey?: string | undefined;
  },
  services: Services,
): Promise<Result<{ tenantId: string; key: string }>> {
  const allowed = authorize(actor, "createTenant");
  if (!allowed.ok) return allowed;
  const { idempotencyKey, ...request } = input;
  const { name, settings } = request;
  const checked = checkProviders(settings.providers, services.policy);
  if (!checked.ok) return checked;
  const keyed =
    idempotencyKey === undefined
      ? undefined
      : await creationKey(actor, { request: ["tenant", request], idempotencyKey });
  const made = await services.tenants.create(name, settings, recordOf(actor), keyed);
  return made.kind === "made" ? ok({ tenantId: made.tenantId, key: made.key }) : claimRefused(made.kind);
}
