/** What stands on every answer: headers that keep browsers careful, and for whose pages it is (CORS). */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { allowsOrigin } from "../application/tenants/allows-origin.js";
import type { AppEnv } from "./context.js";

/** A bookmark of the database: what an answer gives, its caller's next request sends back, and sees at least that. */
export const bookmarkHeader = "x-conclave-bookmark";

const exposed = `allow, etag, location, retry-after, x-request-id, idempotent-replay, x-conclave-session, www-authenticate, mcp-session-id, mcp-protocol-version, ${bookmarkHeader}`;
const methods = "GET, POST, PUT, PATCH, DELETE";
/** What a page asks to send: libraries for pages send headers of their own (`x-stainless-lang`, `mcp-protocol-version`). */
const headerNames = /^[\w\-, ]{1,2000}$/;
/** How long a browser may remember a preflight, in seconds. */
const preflightSeconds = "600";

/** @param isApi whether a path is one of the API's, of whatever face: the others are pages that everybody reads */
export const answerHeaders = (isApi: (path: string) => boolean) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const preflight = isApi(c.req.path) ? await preflightAnswer(c) : undefined;
    if (preflight === undefined) await next();
    else c.res = preflight;
    // The answer to an upgrade belongs to the socket.
    if (c.res.status === 101) return;
    c.header("x-content-type-options", "nosniff");
    // A stream's answer is made whole, without what was set before it.
    c.header("x-request-id", c.get("requestId"));
    if (c.get("services").environment !== "local") c.header("strict-transport-security", "max-age=31536000");
    if (!isApi(c.req.path)) return;
    c.header("cache-control", "no-store");
    // Who nobody has let in isn't even told how far the database is.
    const bookmark = c.get("actor") === undefined ? undefined : c.get("services").bookmark();
    if (bookmark !== undefined) c.header(bookmarkHeader, bookmark);
    c.header("vary", "Origin", { append: true });
    const origin = c.req.header("origin");
    if (preflight !== undefined || origin === undefined || !(await mayRead(c, origin))) return;
    c.header("access-control-allow-origin", origin);
    c.header("access-control-expose-headers", exposed);
  });

/** Whether a page of this origin may read the answer: as the caller's tenant says; of a refusal that has no tenant, if any says so. */
async function mayRead(c: Context<AppEnv>, origin: string): Promise<boolean> {
  const origins = c.get("corsOrigins");
  if (origins !== undefined) return origins.includes(origin);
  return c.res.status === 401 && allowsOrigin(origin, c.get("services"));
}

/** A browser asks before it calls. It sends no key then: an origin that any tenant lists may call. */
async function preflightAnswer(c: Context<AppEnv>): Promise<Response | undefined> {
  const origin = c.req.header("origin");
  if (c.req.method !== "OPTIONS" || origin === undefined) return undefined;
  if (c.req.header("access-control-request-method") === undefined) return undefined;
  if (!(await allowsOrigin(origin, c.get("services")))) return new Response(null, { status: 204 });
  const asked = c.req.header("access-control-request-headers") ?? "";
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": methods,
      "access-control-allow-headers": headerNames.test(asked) ? asked : "authorization, content-type",
      "access-control-max-age": preflightSeconds,
    },
  });
}
