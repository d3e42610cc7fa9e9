/** Mint a token for an end user: signed, given out this once, stored nowhere. */
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type NewToken, tokenClaims } from "../../tenancy/user-token.js";
import type { Services } from "../services.js";

/** A token depends on the key that mints it: without the key it is void. */
export async function mintToken(
  actor: Actor,
  request: NewToken,
  services: Services,
): Promise<Result<{ token: string; expiresAt: string }>> {
  const allowed = authorize(actor, "mintToken");
  if (!allowed.ok) return allowed;
  const { tokens, now, sessions } = services;
  if (actor.kind !== "key") return refuse("forbidden", "Only the holder of a key mints tokens.");
  if (request.sessionId !== undefined) {
    const session = await sessions.describe(actor.tenantId, request.sessionId);
    if (!session.ok || session.value.subject !== request.subject) return notTheirs;
  }
  const claims = tokenClaims(request, { tenantId: actor.tenantId, keyId: actor.id }, now());
  return ok({ token: await tokens.sign(claims), expiresAt: new Date(claims.expiresAt * 1_000).toISOString() });
}

const notTheirs = refuse("invalid", "The token's session has to be one of its subject.", {
  errors: [{ path: "sessionId", message: "there is no such session of this subject" }],
});
