/** The MCP face as routes: `/mcp`, and where hosts learn how to get in. */
import { Hono } from "hono";
import type { Services } from "../application/services.js";
import { allowsOrigin } from "../application/tenants/allows-origin.js";
import { letIn, resourceMetadata } from "./door.js";
import { answerMcp } from "./server.js";

interface FaceEnv {
  Bindings: Env;
  Variables: { services: Services };
}

const pageHeaders =
  "authorization, content-type, accept, mcp-protocol-version, mcp-session-id, last-event-id, mcp-method, mcp-name";

export const mcp = new Hono<FaceEnv>();

mcp.all("/mcp", async (c) => {
  const services = c.get("services");
  const origin = c.req.header("origin");
  if (c.req.method === "OPTIONS" && origin !== undefined)
    return preflight(origin, await allowsOrigin(origin, services));
  const caller = await letIn(c.req.raw, services);
  if (caller instanceof Response) return caller;
  const answer = await answerMcp(c.req.raw, caller.actor, services);
  if (origin === undefined) return answer;
  const headers = new Headers(answer.headers);
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", "www-authenticate, mcp-session-id, mcp-protocol-version");
  headers.append("vary", "Origin");
  return new Response(answer.body, { status: answer.status, headers });
});

mcp.get("/.well-known/oauth-protected-resource/:rest?", (c) => resourceMetadata(c.req.raw) ?? c.notFound());

/** A page asks before it calls, without a key: an origin that any tenant lists may call. */
function preflight(origin: string, isAllowed: boolean): Response {
  if (!isAllowed) return new Response(null, { status: 204 });
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "POST, GET, DELETE",
      "access-control-allow-headers": pageHeaders,
      "access-control-max-age": "600",
    },
  });
}
