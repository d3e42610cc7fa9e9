/** Who comes with a program's access token: the person who let it in, as far as they let it. */
import { defined } from "../../conversation/defined.js";
import { refuseMoving } from "../../conversation/moving.js";
import { audienceOf } from "../../platform/oauth-addresses.js";
import { type Actor, tokenIdOf } from "../../tenancy/actor.js";
import { servicesOf } from "../home.js";
import type { Services } from "../services.js";
import { openClaims } from "./claims.js";

/** @returns nobody where the token counts no more, was taken back, or is for something else */
export async function grantHolder(presented: string, anywhere: Services) {
  const claims = await openClaims("cno", presented, anywhere.sealer);
  if (claims === undefined || claims.audience !== audienceOf(anywhere.origin)) return undefined;
  const { tenantId, grantId, issuedAt, expiresAt } = claims;
  const services = servicesOf(tenantId, anywhere);
  if (expiresAt <= services.now()) return undefined;
  const ground = await services.callers.grantGround(tenantId, grantId);
  if (ground === undefined) return undefined;
  refuseMoving(ground);
  const { personId, role, reach, agents, revokedAt, corsOrigins, revision, measures } = ground;
  const known = { tenantId, mintedBy: grantId, issuedAt, expiresAt, revision, measures };
  if (reach === "role") {
    const actor: Actor = { ...known, kind: "person", id: personId, role };
    return { actor, services, corsOrigins };
  }
  if (revokedAt !== undefined && issuedAt <= Math.floor(revokedAt / 1_000)) return undefined;
  const only = defined({ agents });
  const actor: Actor = { ...known, kind: "token", id: tokenIdOf(personId), role: "user", subject: personId, only };
  return { actor, services, corsOrigins };
}
