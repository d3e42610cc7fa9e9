/** Tokens of end users: minted by an application's backend for its browsers and apps. */
import { z } from "zod";
import { mintToken } from "../../application/tokens/mint-token.js";
import { revokeSubject } from "../../application/tokens/revoke-subject.js";
import { subjectSchema } from "../../conversation/names.js";
import { newTokenSchema } from "../../tenancy/user-token.js";
import { actorOf, unwrap } from "../context.js";
import { json, jsonBody, newRouter, route } from "../routing.js";

const tags = ["Tokens"];

export const tokens = newRouter();

tokens.openapi(
  route({
    "x-act": "mintToken",
    method: "post",
    path: "/v1/tokens",
    tags,
    summary: "Mint a token for an end user, for a browser or an app",
    description:
      "It reaches the sessions, asks and events of its subject and nothing else; with `sessionId` that session alone, with `agents` those agents alone. It is signed and not stored, counts an hour at most, and is void when its subject is revoked or the key that it was minted with is deleted. A socket takes it as a subprotocol: `Sec-WebSocket-Protocol: conclave, cnt_…`.",
    request: { body: jsonBody(newTokenSchema) },
    responses: { 201: json("The token", z.object({ token: z.string(), expiresAt: z.iso.datetime() })) },
  }),
  async (c) => c.json(unwrap(await mintToken(actorOf(c), c.req.valid("json"), c.get("services"))), 201),
);

tokens.openapi(
  route({
    "x-act": "revokeSubject",
    method: "post",
    path: "/v1/subjects/{subject}/revoke",
    tags,
    summary: "Make all tokens of a subject void that were issued up to now, and close what they have open",
    description: "Tokens that are issued from the next second on count. Revoked again is revoked.",
    request: { params: z.object({ subject: subjectSchema }) },
    responses: { 204: { description: "They are void" } },
  }),
  async (c) => {
    unwrap(await revokeSubject(actorOf(c), c.req.valid("param").subject, c.get("services")));
    return c.body(null, 204);
  },
);
