/** Turns what a request presents into its actor. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { authenticateCaller, authenticateDeployment } from "../application/tenants/authenticate.js";
import { ProblemError } from "../conversation/problem.js";
import type { AppEnv } from "./context.js";
import { problem } from "./problems.js";

/** For the routes of a tenant: the holder of its key, or an end user with a token. */
export const tenantAuth = createMiddleware<AppEnv>(async (c, next) => {
  const presented = bearer(c) ?? tokenOfSocket(c);
  if (presented === undefined) {
    throw problem("unauthorized", "Send a tenant's key (`cnk_…`) or a token (`cnt_…`) as `Authorization: Bearer …`.");
  }
  const caller = await authenticateCaller(presented, c.get("services"));
  if (caller === undefined) {
    throw problem("unauthorized", "This key or token isn't valid: it was deleted or revoked, or it has expired.");
  }
  c.set("actor", caller.actor);
  c.set("corsOrigins", caller.corsOrigins);
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

function bearer(c: Context<AppEnv>): string | undefined {
  return /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
}

/** A browser's socket can't send headers of its own: its token comes as a second subprotocol, `conclave, cnt_…`. */
function tokenOfSocket(c: Context<AppEnv>): string | undefined {
  if (c.req.header("upgrade")?.toLowerCase() !== "websocket") return undefined;
  const [protocol, token] = (c.req.header("sec-websocket-protocol") ?? "").split(",").map((part) => part.trim());
  return protocol === "conclave" ? token : undefined;
}
