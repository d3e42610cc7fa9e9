/** Delete a tenant and all it holds. */
import { z } from "zod";
import { act } from "../act.js";
import { servicesAt } from "../home.js";
import { removeTenant } from "../removal.js";
import { refuseFor } from "../subjects/on-hold.js";
import { findTenant } from "./tenant-view.js";

export const deleteTenant = act("deleteTenant", {
  role: "deployment",
  route: {
    method: "delete",
    path: "/v1/admin/tenants/{tenantId}",
    tag: "Tenants and keys",
    summary: "Delete a tenant and what it holds",
    answer: "It is gone",
  },
  input: () => z.object({ tenantId: z.string().max(100) }),
  run: async (_actor, { tenantId }, services) => {
    await findTenant(tenantId, services);
    refuseFor(await services.holds.any(tenantId));
    await removeTenant(tenantId, services, servicesAt(0, services).answers);
  },
});
