/** List the tenant's resources of a kind, by name. */
import { z } from "zod";
import { resourceKinds } from "../../tenancy/resources.js";
import { act } from "../act.js";
import { pageInput, readPage } from "../page.js";
import { isKnownTo, resourceView, summaryOf, viewFor } from "./resource-view.js";

export const listResources = act("listResources", {
  role: "client",
  ofSubject: true,
  input: () => z.object({ kind: z.enum(resourceKinds), ...pageInput() }),
  run: async (actor, { kind, ...query }, services) => {
    const view = viewFor(actor, kind);
    const read = async (after = "", limit: number) => {
      const resources = await services.near.resources.list(actor.tenantId, kind, after, limit);
      return resources.map((resource) => (view === "whole" ? resourceView(resource) : summaryOf(resource)));
    };
    const page = await readPage(query, read, ({ name }) => name);
    return { ...page, items: page.items.filter(({ name }) => isKnownTo(actor, kind, name)) };
  },
});
