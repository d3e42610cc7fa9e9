/** List the tenant's resources of a kind, by name. */
import type { Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { ResourceKind } from "../../tenancy/resources.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { type ResourceView, resourceView } from "./resource-view.js";

export async function listResources(
  actor: Actor,
  query: PageRequest & { readonly kind: ResourceKind },
  services: Services,
): Promise<Result<Page<ResourceView>>> {
  const allowed = authorize(actor, "listResources");
  if (!allowed.ok) return allowed;
  const read = async (after = "", limit: number) => {
    const resources = await services.resources.list(actor.tenantId, query.kind, after, limit);
    return resources.map(resourceView);
  };
  return readPage(query, read, ({ name }) => name);
}
