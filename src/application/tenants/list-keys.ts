/** List the keys of a tenant, without their secrets. */
import type { z } from "zod";
import type { Result } from "../../conversation/problem.js";
import type { KeyRecord } from "../../stores/tenant-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { keySchema } from "../../tenancy/tenant.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { findTenant } from "./tenant-view.js";

export type KeyView = z.infer<typeof keySchema>;

export async function listKeys(
  actor: Actor,
  query: PageRequest & { readonly tenantId: string },
  services: Services,
): Promise<Result<Page<KeyView>>> {
  const allowed = authorize(actor, "listKeys");
  if (!allowed.ok) return allowed;
  const tenant = await findTenant(query.tenantId, services);
  if (!tenant.ok) return tenant;
  const read = async (after = "", limit: number) =>
    (await services.tenants.listKeys(query.tenantId, after, limit)).map(keyView);
  return readPage(query, read, ({ keyId }) => keyId);
}

function keyView({ keyId, role, label, createdAt }: KeyRecord): KeyView {
  return {
    keyId,
    role,
    ...(label === undefined ? {} : { label }),
    createdAt: new Date(createdAt).toISOString(),
  };
}
