/**
 * Where programs learn how to be let in at `/mcp`, register themselves, and come to tokens: OAuth 2.1 as the Model Context Protocol asks for it. Who lets
 * them in is asked in the console (`/console/authorize`). Programs in pages call too: nothing here goes by a cookie, so every origin may read.
 */
import { type Context, Hono } from "hono";
import { OAuthError, registerClient } from "../application/grants/clients.js";
import { giveUp, issueTokens } from "../application/grants/tokens.js";
import { type Problem, problemCodes } from "../conversation/problem.js";
import type { FaceEnv, LoadedFace } from "../http/face.js";
import { retryFields } from "../http/retry-fields.js";
import { reaches } from "../tenancy/grant.js";

type C = Context<FaceEnv>;

/** The most that a program may send, in characters. */
const maxBody = 20_000;

const open = { "access-control-allow-origin": "*" };
const headers = { ...open, "cache-control": "no-store" };

const routes = new Hono<FaceEnv>();

routes.options("*", () => {
  const allowed = { "access-control-allow-methods": "GET, POST", "access-control-max-age": "600" };
  const named = { "access-control-allow-headers": "authorization, content-type, mcp-protocol-version" };
  return new Response(null, { status: 204, headers: { ...open, ...allowed, ...named } });
});

/** What a token is for, and who gives it out (RFC 9728). */
const resource = (c: C): Response => {
  const { origin } = new URL(c.req.url);
  const metadata = {
    resource: `${origin}/mcp`,
    resource_name: "Conclave",
    authorization_servers: [origin],
    scopes_supported: reaches,
    bearer_methods_supported: ["header"],
    resource_documentation: `${origin}/docs/mcp`,
  };
  return c.json(metadata, 200, open);
};
routes.get("/.well-known/oauth-protected-resource", resource);
routes.get("/.well-known/oauth-protected-resource/mcp", resource);

/** How programs are let in (RFC 8414). */
routes.get("/.well-known/oauth-authorization-server", (c) => {
  const { origin } = new URL(c.req.url);
  const metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/console/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    registration_endpoint: `${origin}/oauth/register`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    scopes_supported: reaches,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${origin}/docs/mcp`,
  };
  return c.json(metadata, 200, open);
});

routes.post("/oauth/register", (c) =>
  answered(c, async () => c.json(await registerClient(await bodyOf(c), c.var.services), 201, headers)),
);

routes.post("/oauth/token", (c) =>
  answered(c, async () => c.json(await issueTokens(await formOf(c), c.var.services), 200, headers)),
);

routes.post("/oauth/revoke", (c) =>
  answered(c, async () => {
    await giveUp(await formOf(c), c.var.services);
    return c.body(null, 200, headers);
  }),
);

async function answered(c: C, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { code, message } = error;
    return c.json({ error: code, error_description: message }, code === "invalid_client" ? 401 : 400, headers);
  }
}

async function bodyOf(c: C): Promise<string> {
  const isTooLong = Number(c.req.header("content-length") ?? 0) > maxBody;
  const text = isTooLong ? "" : await c.req.text();
  if (isTooLong || text.length > maxBody)
    throw new OAuthError("invalid_request", `Send at most ${maxBody} characters.`);
  return text;
}

/** Each name once (RFC 6749, 3.2). */
async function formOf(c: C): Promise<URLSearchParams> {
  const form = new URLSearchParams(await bodyOf(c));
  if (new Set(form.keys()).size !== form.size)
    throw new OAuthError("invalid_request", "A parameter stands there twice.");
  return form;
}

function renderProblem({ code, detail, retryAfterSeconds, reached }: Problem): Response {
  const status = problemCodes[code];
  const error =
    status === 429 || status === 503 ? "temporarily_unavailable" : status < 500 ? "invalid_request" : "server_error";
  return Response.json(
    { error, error_description: detail },
    { status, headers: { ...headers, ...retryFields({ retryAfterSeconds, reached }) } },
  );
}

export const oauth: LoadedFace = { routes: [routes], renderProblem };
