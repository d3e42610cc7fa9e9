/** List the tenant's resources of a kind, by name. */
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { ResourceKind } from "../../tenancy/resources.js";
import { type Page, type PageRequest, readPage } from "../page.js";
import type { Services } from "../services.js";
import { isKnownTo, type ResourceView, resourceView, summaryOf, viewFor } from "./resource-view.js";

export async function listResources(
  actor: Actor,
  query: PageRequest & { readonly kind: ResourceKind },
  services: Services,
): Promise<Result<Page<ResourceView>>> {
  const allowed = authorize(actor, "listResources");
  if (!allowed.ok) return allowed;
  const view = viewFor(actor, query.kind);
  if (!view.ok) return view;
  const read = async (after = "", limit: number) => {
    const resources = await services.near.resources.list(actor.tenantId, query.kind, after, limit);
    return resources.map((resource) => (view.value === "whole" ? resourceView(resource) : summaryOf(resource)));
  };
  const page = await readPage(query, read, ({ name }) => name);
  if (!page.ok) return page;
  return ok({ ...page.value, items: page.value.items.filter(({ name }) => isKnownTo(actor, query.kind, name)) });
}
