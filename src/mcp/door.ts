/** Who may come in: a key or token, from a place that isn't somebody else's page, at an address that is ours. */
import { localhostAllowedHostnames } from "@modelcontextprotocol/server";
import type { Services } from "../application/services.js";
import { type Authenticated, authenticateCaller } from "../application/tenants/authenticate.js";

const metadataPath = "/.well-known/oauth-protected-resource/mcp";

/** The caller, or why nobody is let in. */
export async function letIn(request: Request, services: Services): Promise<Authenticated | Response> {
  // A page may point its own name at this machine: locally only the machine's own names are ours.
  if (services.environment === "local" && !localhostAllowedHostnames().includes(new URL(request.url).hostname)) {
    return refusal(403, "forbidden", "Locally this answers at localhost and 127.0.0.1 alone.");
  }
  const presented = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (presented === undefined) {
    return unauthorized(request, "Send a tenant's key (cnk_…) or a token (cnt_…) as `Authorization: Bearer …`.");
  }
  const caller = await authenticateCaller(presented, services);
  if (caller === undefined) {
    return unauthorized(
      request,
      "This key or token isn't valid: it was deleted or revoked, or it has expired.",
      "invalid_token",
    );
  }
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== new URL(request.url).origin && !caller.corsOrigins.includes(origin)) {
    return refusal(403, "forbidden", "Pages of this origin may not call. The tenant's `corsOrigins` lists who may.");
  }
  return caller;
}

function unauthorized(request: Request, detail: string, error?: string): Response {
  const metadata = `resource_metadata="${new URL(metadataPath, request.url).href}"`;
  const challenge = error === undefined ? `Bearer ${metadata}` : `Bearer error="${error}", ${metadata}`;
  return refusal(401, "unauthorized", detail, { "www-authenticate": challenge });
}

function refusal(status: number, code: string, detail: string, headers: Record<string, string> = {}): Response {
  const error = { code: -32_000, message: detail, data: { code } };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers });
}

/** Where hosts find out how to get in (RFC 9728): with a key of a tenant, which no server of ours gives out. */
export function resourceMetadata(request: Request): Response | undefined {
  const { pathname, origin } = new URL(request.url);
  if (pathname !== metadataPath && pathname !== "/.well-known/oauth-protected-resource") return undefined;
  return Response.json({
    resource: `${origin}/mcp`,
    resource_name: "Conclave",
    bearer_methods_supported: ["header"],
    resource_documentation: `${origin}/docs/mcp`,
  });
}
