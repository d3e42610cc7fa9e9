/** A tenant's own settings, read and changed by its admin. */
import { z } from "zod";
import { tenantChangeSchema, tenantSchema } from "../../tenancy/tenant.js";
import { act } from "../act.js";
import { applyChange } from "./change-tenant.js";
import { findTenant, tenantView } from "./tenant-view.js";

const tag = "A tenant's own administration";

export const readSettings = act("readSettings", {
  role: "admin",
  route: {
    method: "get",
    path: "/v1/tenant",
    tag,
    summary: "The tenant and its settings; credentials are not shown (admins)",
    answer: "The tenant",
  },
  input: () => z.object({}),
  output: () => tenantSchema,
  run: async ({ tenantId }, _input, services) => tenantView(await findTenant(tenantId, services), services),
});

export const changeSettings = act("changeSettings", {
  role: "admin",
  route: {
    method: "patch",
    path: "/v1/tenant",
    tag,
    summary: "Change the tenant's name or settings; a setting that isn't given stays (admins)",
    body: "change",
    answer: "The tenant",
  },
  input: () => z.object({ change: tenantChangeSchema }),
  output: () => tenantSchema,
  run: (actor, { change }, services) => applyChange(actor, actor.tenantId, change, services),
});
