/** List all tenants of the deployment. */
import { z } from "zod";
import { databaseOf } from "../../tenancy/home.js";
import { tenantSchema } from "../../tenancy/tenant.js";
import { act } from "../act.js";
import { everywhere } from "../home.js";
import { listOf, pageInput, readPage } from "../page.js";
import { type TenantView, tenantView } from "./tenant-view.js";

export const listTenants = act("listTenants", {
  role: "deployment",
  route: {
    method: "get",
    path: "/v1/admin/tenants",
    tag: "Tenants and keys",
    summary: "All tenants",
    answer: "A page of tenants",
  },
  input: () => z.object(pageInput()),
  output: () => listOf(tenantSchema),
  run: async (_actor, page, services) => {
    // Ids of a database sort behind those of the one before it.
    const read = async (after = "", limit: number) => {
      const found: TenantView[] = [];
      for (const { database, tenants } of everywhere(services)) {
        if (found.length >= limit || database < databaseOf(after)) continue;
        found.push(...(await tenants.list(after, limit - found.length)).map(tenantView));
      }
      return found;
    };
    return readPage(page, read, ({ tenantId }) => tenantId);
  },
});
