/** What stands on every answer: headers that keep browsers careful, and for whose pages it is (CORS). */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./context.js";

/** A bookmark of the database: what an answer gives, its caller's next request sends back, and sees at least that. */
export const bookmarkHeader = "x-conclave-bookmark";

const exposed = `allow, etag, location, retry-after, ratelimit, ratelimit-policy, x-request-id, idempotent-replay, x-conclave-session, www-authenticate, mcp-session-id, mcp-protocol-version, ${bookmarkHeader}`;
const methods = "GET, POST, PUT, PATCH, DELETE";
/** What a page asks to send: libraries for pages send headers of their own (`x-stainless-lang`, `mcp-protocol-version`). */
const headerNames = /^[\w\-, ]{1,2000}$/;
/** How long a browser may remember a preflight, in seconds. */
const preflightSeconds = "600";

/** @param isApi whether it is the API, of whatever face: the others are pages that everybody reads */
export const answerHeaders = (isApi: boolean) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const preflight = isApi ? preflightAnswer(c) : undefined;
    if (preflight === undefined) await next();
    else c.res = preflight;
    // The answer to an upgrade belongs to the socket.
    if (c.res.status === 101) return;
    const answer = new Response(c.res.body, c.res);
    for (const [name, value] of headersOf(c, isApi)) answer.headers.set(name, value);
    if (isApi) answer.headers.append("vary", "Origin");
    // Replaced as a whole: with each header of its own, Hono would copy the answer once more.
    c.res = undefined;
    c.res = answer;
    const origin = c.req.header("origin");
    if (preflight !== undefined || origin === undefined || !isApi || !mayRead(c, origin)) return;
    answer.headers.set("access-control-allow-origin", origin);
    answer.headers.set("access-control-expose-headers", exposed);
  });

function headersOf(c: Context<AppEnv>, isApi: boolean): [string, string][] {
  const { environment, bookmark } = c.get("services");
  const headers: [string, string][] = [
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
    // A stream's answer is made whole, without what was set before it.
    ["x-request-id", c.get("requestId")],
  ];
  if (environment !== "local") headers.push(["strict-transport-security", "max-age=31536000"]);
  if (isApi) headers.push(["cache-control", "no-store"]);
  // Who nobody has let in isn't even told how far the database is.
  const at = isApi && c.get("actor") !== undefined ? bookmark() : undefined;
  if (at !== undefined) headers.push([bookmarkHeader, at]);
  return headers;
}

/** Whether a page of this origin may read the answer: as the caller's tenant says. That nobody was let in, every page may read. */
function mayRead(c: Context<AppEnv>, origin: string): boolean {
  return c.get("corsOrigins")?.includes(origin) ?? c.res.status === 401;
}

/** A browser asks before it calls, without a key: each origin is answered alike, so that none is told whose pages may call. */
function preflightAnswer(c: Context<AppEnv>): Response | undefined {
  const origin = c.req.header("origin");
  if (c.req.method !== "OPTIONS" || origin === undefined) return undefined;
  if (c.req.header("access-control-request-method") === undefined) return undefined;
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
