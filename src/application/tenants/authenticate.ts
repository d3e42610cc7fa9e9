/** Who presents a secret: a tenant's key, an end user's token, or the deployment's own secret. Not an act: acts begin with the actor that this gives. */
import type { Problem } from "../../conversation/problem.js";
import { equalInConstantTime } from "../../platform/digest.js";
import { log } from "../../platform/logging.js";
import { isToken } from "../../platform/token-signer.js";
import { type Actor, deploymentActor, tokenIdOf } from "../../tenancy/actor.js";
import { tokenCounts } from "../../tenancy/user-token.js";
import type { Services } from "../services.js";
import { isLongEnough, leastSecretLength } from "../system/check-health.js";

export interface Authenticated {
  readonly actor: Actor;
  /** The origins of pages that may read the answer. */
  readonly corsOrigins: readonly string[];
}

/** The holder of a tenant's key, or of a token; nobody when it isn't valid, has expired, or was deleted or revoked. */
export async function authenticateCaller(presented: string, services: Services): Promise<Authenticated | undefined> {
  if (isToken(presented)) return authenticateToken(presented, services);
  const caller = await services.callers.authenticate(presented);
  if (caller === undefined) return undefined;
  const { tenantId, keyId, role, clientMay, corsOrigins, revision } = caller;
  const widened = role === "client" && clientMay.length > 0 ? { clientMay } : {};
  return { actor: { tenantId, kind: "key", id: keyId, role, ...widened, revision }, corsOrigins };
}

async function authenticateToken(
  presented: string,
  { tokens, callers, now }: Services,
): Promise<Authenticated | undefined> {
  const claims = await tokens.read(presented);
  if (claims === undefined) return undefined;
  const { tenantId, subject, mintedBy, sessionId, agents, issuedAt, expiresAt } = claims;
  const ground = await callers.tokenGround(tenantId, mintedBy, subject);
  if (ground === undefined || !tokenCounts(claims, now(), ground.revokedAt)) return undefined;
  const actor: Actor = {
    ...{ tenantId, kind: "token", id: tokenIdOf(subject), role: "user", subject, mintedBy, issuedAt },
    revision: ground.revision,
    only: { ...(sessionId === undefined ? {} : { sessionId }), ...(agents === undefined ? {} : { agents }) },
    expiresAt: expiresAt * 1_000,
  };
  return { actor, corsOrigins: ground.corsOrigins };
}

/** Wrong guesses of one address in a minute that are answered as such. */
const freeGuesses = 5;

/**
 * Who runs the deployment, by its ADMIN_SECRET. Whoever presents it is never locked out: the secret is too long to be guessed, and
 * counting wrong ones is there to show that somebody tries, and to turn them away.
 * @param address from where it is presented
 */
export async function authenticateDeployment(
  presented: string,
  address: string,
  { adminSecret, readers, now }: Services,
): Promise<Actor | Problem> {
  if (!isLongEnough(adminSecret)) return tooShort;
  if (await equalInConstantTime(presented, adminSecret)) return deploymentActor;
  // A tenant's key in the wrong place is no guess.
  if (/^cn[kt]_/.test(presented)) return notTheSecret;
  const failures = await readers.adminFailure(address);
  log("warn", "admin.refused", {
    code: failures > freeGuesses ? "too_many_requests" : "unauthorized",
    attempts: failures,
  });
  if (failures <= freeGuesses) return notTheSecret;
  const retryAfterSeconds = 60 - (Math.floor(now() / 1_000) % 60);
  return {
    code: "too_many_requests",
    detail: "Too many wrong secrets in a minute. Wait, then send the right one.",
    retryAfterSeconds,
  };
}

const notTheSecret: Problem = {
  code: "unauthorized",
  detail: "Send the deployment's ADMIN_SECRET as `Authorization: Bearer …`.",
};
const tooShort: Problem = {
  code: "unavailable",
  detail: `This deployment's ADMIN_SECRET has fewer than ${leastSecretLength} characters. Whoever runs it has to set a longer one.`,
};
