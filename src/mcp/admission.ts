/** What the protocol asks beyond a key: a page that may call, an address that is ours, and a way for hosts to learn how to get in. */
import { localhostAllowedHostnames } from "@modelcontextprotocol/server";
import { defined } from "../conversation/defined.js";
import { type Problem, problemCodes } from "../conversation/problem.js";
import { retryFields } from "../http/retry-fields.js";

const metadataPath = "/.well-known/oauth-protected-resource/mcp";

interface Admitted {
  readonly environment: string;
  /** The origins of pages that the caller's tenant lists. */
  readonly corsOrigins: readonly string[];
}

/** Why a caller with a valid key isn't answered all the same; undefined where nothing is in the way. */
export function barrierFor(request: Request, { environment, corsOrigins }: Admitted): Problem | undefined {
  const url = new URL(request.url);
  // A page may point its own name at this machine: locally only the machine's own names are ours.
  if (environment === "local" && !localhostAllowedHostnames().includes(url.hostname)) {
    return { code: "forbidden", detail: "Locally this answers at localhost and 127.0.0.1 alone." };
  }
  const origin = request.headers.get("origin");
  if (origin === null || origin === url.origin || corsOrigins.includes(origin)) return undefined;
  return {
    code: "forbidden",
    detail: "Pages of this origin may not call. The tenant's `corsOrigins` lists who may.",
  };
}

/** A refusal before the protocol begins, as hosts read it; a 401 says where they find out how to get in. */
export function renderRefusal(
  { code, detail, userMessage, retryAfterSeconds, reached }: Problem,
  { request, requestId }: { readonly request: Request; readonly requestId: string },
): Response {
  const metadata = `resource_metadata="${new URL(metadataPath, request.url).href}"`;
  const presented = request.headers.has("authorization") ? 'error="invalid_token", ' : "";
  const error = { code: -32_000, message: detail, data: { code, ...defined({ userMessage }) } };
  return Response.json(
    { jsonrpc: "2.0", error, id: null },
    {
      status: problemCodes[code],
      headers: {
        "x-request-id": requestId,
        ...(code === "unauthorized" ? { "www-authenticate": `Bearer ${presented}${metadata}` } : {}),
        ...retryFields({ retryAfterSeconds, reached }),
      },
    },
  );
}
