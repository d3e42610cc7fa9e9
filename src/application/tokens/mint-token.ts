/** Mint a token for an end user: signed, given out this once, stored nowhere. */
import { z } from "zod";
import { problem } from "../../conversation/problem.js";
import { newTokenSchema, tokenClaims } from "../../tenancy/user-token.js";
import { act } from "../act.js";

/** A token depends on the key that mints it: without the key it is void. */
export const mintToken = act("mintToken", {
  role: "client",
  route: {
    method: "post",
    path: "/v1/tokens",
    tag: "Tokens",
    summary: "Mint a token for an end user, for a browser or an app",
    description:
      "It reaches the sessions, asks and events of its subject and nothing else; with `sessionId` that session alone, with `agents` those agents alone. It is signed and not stored, counts an hour at most, and is void when its subject is revoked or the key that it was minted with is deleted. A socket takes it as a subprotocol: `Sec-WebSocket-Protocol: conclave, cnt_…`.",
    body: "request",
    answer: "The token",
    status: 201,
  },
  input: () => z.object({ request: newTokenSchema }),
  output: () => z.object({ token: z.string(), expiresAt: z.iso.datetime() }),
  run: async (actor, { request }, { tokens, now, sessions }) => {
    if (actor.kind !== "key") throw problem("forbidden", "Only the holder of a key mints tokens.");
    if (request.sessionId !== undefined) {
      const session = await sessions.describe(actor.tenantId, request.sessionId);
      if (!session.ok || session.value.subject !== request.subject) {
        throw problem("invalid", "The token's session has to be one of its subject.", {
          errors: [{ path: "sessionId", message: "there is no such session of this subject" }],
        });
      }
    }
    const claims = tokenClaims(request, { tenantId: actor.tenantId, keyId: actor.id }, now());
    return { token: await tokens.sign(claims), expiresAt: new Date(claims.expiresAt * 1_000).toISOString() };
  },
});
