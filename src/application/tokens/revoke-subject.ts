/** Revoke a subject: all tokens issued for it up to now are void, and what they had open is closed. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { type Actor, tokenIdOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { disconnect } from "../connections.js";
import { doOnce } from "../creation.js";
import type { Services } from "../services.js";

export async function revokeSubject(actor: Actor, subject: string, services: Services): Promise<Result<void>> {
  const allowed = authorize(actor, "revokeSubject");
  if (!allowed.ok) return allowed;
  const revoke = async (claim: WorkClaim | undefined): Promise<Result<void>> =>
    ok(await services.readers.revoke(actor.tenantId, subject, recordOf(actor), claim));
  const revoked = await doOnce(actor, services, revoke, async () => ok(undefined));
  if (!revoked.ok) return revoked;
  return ok(await disconnect(actor.tenantId, tokenIdOf(subject), services));
}
