/** Who presents a secret: a tenant's key, or the deployment's own. Not an act: acts begin with the actor that this gives. */
import { equalInConstantTime } from "../../platform/digest.js";
import { type Actor, deploymentActor } from "../../tenancy/actor.js";
import type { Services } from "../services.js";

/** The holder of a tenant's key; nobody when it isn't valid, or was deleted. */
export async function authenticateKey(presented: string, { tenants }: Services): Promise<Actor | undefined> {
  const caller = await tenants.authenticate(presented);
  if (caller === undefined) return undefined;
  const { tenantId, keyId, role } = caller;
  return { tenantId, kind: "key", id: keyId, role };
}

/** Who runs the deployment, by its ADMIN_SECRET; nobody when it is another one, or none is set. */
export async function authenticateDeployment(presented: string, { adminSecret }: Services): Promise<Actor | undefined> {
  const isRight = adminSecret !== "" && (await equalInConstantTime(presented, adminSecret));
  return isRight ? deploymentActor : undefined;
}
