/** A tenant's own keys, made, listed and deleted by its admin. */
import type { z } from "zod";
import type { KeyRole } from "../../asks/ask.js";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { newKeySchema } from "../../tenancy/tenant.js";
import { disconnect } from "../connections.js";
import type { Page, PageRequest } from "../page.js";
import type { Services } from "../services.js";
import { type KeyView, pageOfKeys } from "./list-keys.js";
import { makeTenantKey, type NewKeyInput } from "./make-key.js";

export async function createOwnKey(
  actor: Actor,
  input: z.infer<typeof newKeySchema> & Pick<NewKeyInput, "idempotencyKey">,
  services: Services,
): Promise<Result<{ keyId: string; key: string; role: KeyRole }>> {
  const allowed = authorize(actor, "createOwnKey");
  if (!allowed.ok) return allowed;
  return makeTenantKey(actor, { ...input, tenantId: actor.tenantId }, services);
}

export async function listOwnKeys(
  actor: Actor,
  query: PageRequest,
  services: Services,
): Promise<Result<Page<KeyView>>> {
  const allowed = authorize(actor, "listOwnKeys");
  if (!allowed.ok) return allowed;
  return pageOfKeys(actor.tenantId, query, services);
}

/** Deletes a key, and closes what it and the tokens minted with it have open. The last admin's stays: nobody could make another. */
export async function deleteOwnKey(actor: Actor, keyId: string, services: Services): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteOwnKey");
  if (!allowed.ok) return allowed;
  const outcome = await services.tenants.removeKeyUnlessLast(actor.tenantId, keyId, recordOf(actor));
  if (outcome === "last_admin") {
    return refuse("conflict", "This is the tenant's last key of role admin. Make another one first: POST /v1/keys.");
  }
  // Also for one that was deleted before: a deletion that was interrupted goes on.
  await disconnect(actor.tenantId, keyId, services);
  return outcome === "removed" ? ok(undefined) : refuse("not_found", "There is no such key of this tenant.");
}
