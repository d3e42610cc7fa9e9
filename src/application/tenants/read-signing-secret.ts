/** Read the secret that signs the tenant's outgoing calls where a resource has none of its own. */
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

export async function readSigningSecret(
  actor: Actor,
  services: Services,
): Promise<Result<{ readonly signingSecret: string }>> {
  const allowed = authorize(actor, "readSigningSecret");
  if (!allowed.ok) return allowed;
  return ok({ signingSecret: await services.signingSecret(actor.tenantId) });
}
