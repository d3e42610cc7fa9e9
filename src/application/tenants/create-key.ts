/** Create a key of a tenant, which is given out this once. */
import type { z } from "zod";
import type { KeyRole } from "../../asks/ask.js";
import type { Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { newKeySchema } from "../../tenancy/tenant.js";
import type { Services } from "../services.js";
import { makeTenantKey, type NewKeyInput } from "./make-key.js";
import { findTenant } from "./tenant-view.js";

export type KeyInput = z.infer<typeof newKeySchema> & Pick<NewKeyInput, "tenantId" | "idempotencyKey">;

export async function createKey(
  actor: Actor,
  input: KeyInput,
  services: Services,
): Promise<Result<{ keyId: string; key: string; role: KeyRole }>> {
  const allowed = authorize(actor, "createKey");
  if (!allowed.ok) return allowed;
  const tenant = await findTenant(input.tenantId, services);
  if (!tenant.ok) return tenant;
  return makeTenantKey(actor, input, services);
}
