/** Turns what a request presents into its actor. */
import { createMiddleware } from "hono/factory";
import { authenticateDeployment, authenticateKey } from "../application/tenants/authenticate.js";
import type { AppEnv } from "./context.js";
import { problem } from "./problems.js";

/** For the routes of a tenant: the holder of its key. */
export const tenantAuth = createMiddleware<AppEnv>(async (c, next) => {
  const presented = bearer(c.req.header("authorization"));
  if (presented === undefined) throw problem("unauthorized", "Send a tenant's key as `Authorization: Bearer cnk_…`.");
  const actor = await authenticateKey(presented, c.get("services"));
  if (actor === undefined) throw problem("unauthorized", "This key isn't valid, or was deleted.");
  c.set("actor", actor);
  await next();
});

/** For `/v1/admin`: who holds the deployment's own secret. */
export const adminAuth = createMiddleware<AppEnv>(async (c, next) => {
  const presented = bearer(c.req.header("authorization"));
  const actor = presented === undefined ? undefined : await authenticateDeployment(presented, c.get("services"));
  if (actor === undefined) {
    throw problem("unauthorized", "Send the deployment's ADMIN_SECRET as `Authorization: Bearer …`.");
  }
  c.set("actor", actor);
  await next();
});

function bearer(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
}
