/** Revoke a subject: all tokens issued for it up to now are void, and what they had open is closed. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result } from "../../conversation/problem.js";
import { type Actor, tokenIdOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { disconnect } from "../connections.js";
import type { Services } from "../services.js";

export async function revokeSubject(actor: Actor, subject: string, services: Services): Promise<Result<void>> {
  const allowed = authorize(actor, "revokeSubject");
  if (!allowed.ok) return allowed;
  await services.readers.revoke(actor.tenantId, subject, recordOf(actor));
  return ok(await disconnect(actor.tenantId, tokenIdOf(subject), services));
}
