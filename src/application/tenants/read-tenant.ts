/** Read a tenant and its settings. */
import { z } from "zod";
import { tenantSchema } from "../../tenancy/tenant.js";
import { act } from "../act.js";
import { findTenant, tenantView } from "./tenant-view.js";

export const readTenant = act("readTenant", {
  role: "deployment",
  route: {
    method: "get",
    path: "/v1/admin/tenants/{tenantId}",
    tag: "Tenants and keys",
    summary: "One tenant; credentials are not shown",
    answer: "The tenant",
  },
  input: () => z.object({ tenantId: z.string().max(100) }),
  output: () => tenantSchema,
  run: async (_actor, { tenantId }, services) => tenantView(await findTenant(tenantId, services), services),
});
