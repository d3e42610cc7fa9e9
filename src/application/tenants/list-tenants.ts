/** List all tenants of the deployment. */
import type { Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { type TenantView, tenantView } from "./tenant-view.js";

export async function listTenants(
  actor: Actor,
  page: PageRequest,
  services: Services,
): Promise<Result<Page<TenantView>>> {
  const allowed = authorize(actor, "listTenants");
  if (!allowed.ok) return allowed;
  const read = async (after = "", limit: number) => (await services.tenants.list(after, limit)).map(tenantView);
  return readPage(page, read, ({ tenantId }) => tenantId);
}
