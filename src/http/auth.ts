import { createMiddleware } from "hono/factory";
import { equalInConstantTime } from "../platform/digest.js";
import type { AppEnv } from "./context.js";
import { problem } from "./problems.js";

/** For the routes of a tenant: whose key it is. */
export const tenantAuth = createMiddleware<AppEnv>(async (c, next) => {
  const presented = bearer(c.req.header("authorization"));
  if (presented === undefined) throw problem("unauthorized", "Send a tenant's key as `Authorization: Bearer cnk_…`.");
  const caller = await c.get("services").tenants.authenticate(presented);
  if (caller === undefined) throw problem("unauthorized", "This key isn't valid, or was deleted.");
  c.set("caller", caller);
  await next();
});

/** For `/v1/admin`: the deployment's own secret. */
export const adminAuth = createMiddleware<AppEnv>(async (c, next) => {
  const presented = bearer(c.req.header("authorization"));
  const { adminSecret } = c.get("services");
  if (presented === undefined || adminSecret === "" || !(await equalInConstantTime(presented, adminSecret))) {
    throw problem("unauthorized", "Send the deployment's ADMIN_SECRET as `Authorization: Bearer …`.");
  }
  await next();
});

function bearer(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
}
