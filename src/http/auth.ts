/** Turns what a request presents into its actor. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { authenticateCaller, authenticateDeployment } from "../application/tenants/authenticate.js";
import { ProblemError, problem } from "../conversation/problem.js";
import { sha256Hex } from "../platform/digest.js";
import { describeError, log } from "../platform/logging.js";
import type { AppEnv } from "./context.js";

/** How long the platform counts, in seconds: `ratelimits` in wrangler.toml. */
const doorSeconds = 10;

/**
 * Turns floods away, by address and by key, before anything is read for them. Against abuse alone: the platform counts roughly, and in each
 * of its places apart. Without the binding, or where that fails, everybody passes.
 */
export const door = createMiddleware<AppEnv>(async (c, next) => {
  const { DOOR } = c.env;
  if (DOOR !== undefined) {
    const address = c.req.header("cf-connecting-ip");
    const presented = bearer(c) ?? tokenOfSocket(c);
    const keys = [
      ...(address === undefined ? [] : [`address ${networkOf(address)}`]),
      ...(presented === undefined ? [] : [`key ${await sha256Hex(presented)}`]),
    ];
    const passes = async (key: string): Promise<boolean> => {
      try {
        return (await DOOR.limit({ key })).success;
      } catch (error) {
        log("warn", "door.failed", describeError(error));
        return true;
      }
    };
    if ((await Promise.all(keys.map(passes))).includes(false))
      throw problem("too_many_requests", `Too many requests at once. Wait ${doorSeconds} seconds, then send fewer.`, {
        retryAfterSeconds: doorSeconds,
      });
  }
  await next();
});

/** Whoever has one IPv6 address has a network of them: its first half stands for it. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  return [...head, ...zeros, ...tail].slice(0, 4).join(":");
}

/**
 * For the routes of a tenant: the holder of its key, or an end user with a token.
 * @param takesGrants whether programs come in that people let in
 */
export const tenantAuth = (takesGrants: boolean) =>
  createMiddleware<AppEnv>(async (c, next) => {
    const presented = bearer(c) ?? tokenOfSocket(c);
    if (presented === undefined) {
      throw problem("unauthorized", "Send a tenant's key (`cnk_…`) or a token (`cnt_…`) as `Authorization: Bearer …`.");
    }
    const caller = await authenticateCaller(presented, c.get("services"), takesGrants);
    if (caller === undefined) {
      throw problem("unauthorized", "This key or token isn't valid: it was deleted or revoked, or it has expired.");
    }
    c.set("actor", caller.actor);
    c.set("services", caller.services);
    c.set("corsOrigins", caller.corsOrigins);
    if (caller.beside !== undefined) c.executionCtx.waitUntil(caller.beside);
    await next();
  });

/** For `/v1/admin`: who holds the deployment's own secret. */
export const adminAuth = createMiddleware<AppEnv>(async (c, next) => {
  const presented = bearer(c);
  if (presented === undefined) {
    throw problem("unauthorized", "Send the deployment's ADMIN_SECRET as `Authorization: Bearer …`.");
  }
  const address = c.req.header("cf-connecting-ip") ?? "";
  const actor = await authenticateDeployment(presented, address, c.get("services"));
  if ("code" in actor) throw new ProblemError(actor);
  c.set("actor", actor);
  await next();
});

/** For the documentation: everybody, or with `DOCUMENTATION = "keys"` whoever the API lets in. */
export const readerAuth = createMiddleware<AppEnv>(async (c, next) => {
  if (documentationIsPublic(c)) return next();
  const presented = bearer(c);
  if (presented === undefined) {
    const detail =
      "This deployment's documentation is for its users. Send a key, a token or ADMIN_SECRET as `Authorization: Bearer …`.";
    throw problem("unauthorized", detail);
  }
  return /^cn[a-z]_/.test(presented) ? tenantAuth(false)(c, next) : adminAuth(c, next);
});

/** Whatever a deployment says but "public" keeps its documentation for those who have a key. */
export function documentationIsPublic(c: Context<AppEnv>): boolean {
  return c.env.DOCUMENTATION === undefined || c.env.DOCUMENTATION === "public";
}

function bearer(c: Context<AppEnv>): string | undefined {
  return /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
}

/** A browser's socket can't send headers of its own: its token comes as a second subprotocol, `conclave, cnt_…`. */
function tokenOfSocket(c: Context<AppEnv>): string | undefined {
  if (c.req.header("upgrade")?.toLowerCase() !== "websocket") return undefined;
  const [protocol, token] = (c.req.header("sec-websocket-protocol") ?? "").split(",").map((part) => part.trim());
  return protocol === "conclave" ? token : undefined;
}
