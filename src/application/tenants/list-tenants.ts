/** List all tenants of the deployment. */
import { z } from "zod";
import { tenantSchema } from "../../tenancy/tenant.js";
import { act } from "../act.js";
import { everywhere } from "../home.js";
import { listOf, pageInput, readPage } from "../page.js";
import { tenantView } from "./tenant-view.js";

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
    const read = async (after = "", limit: number) => {
      const found = everywhere(services).map(async (one) =>
        (await one.tenants.list(after, limit)).map((tenant) => tenantView(tenant, one)),
      );
      return (await Promise.all(found))
        .flat()
        .sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1))
        .slice(0, limit);
    };
    return readPage(page, read, ({ tenantId }) => tenantId);
  },
});
