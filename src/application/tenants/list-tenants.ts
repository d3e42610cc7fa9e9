/** List all tenants of the deployment. */
import { z } from "zod";
import { tenantSchema } from "../../tenancy/tenant.js";
import { act } from "../act.js";
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
  run: async (_actor, page, { tenants }) => {
    const read = async (after = "", limit: number) => (await tenants.list(after, limit)).map(tenantView);
    return readPage(page, read, ({ tenantId }) => tenantId);
  },
});
