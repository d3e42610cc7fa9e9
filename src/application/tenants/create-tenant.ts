/** Create a tenant and its first key, which is given out this once. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { newTenantSchema } from "../../tenancy/tenant.js";
import { act } from "../act.js";
import { claimRefused, commandedCreation } from "../creation.js";
import { checkProviders } from "./provider-checks.js";

/** A tenant made twice under one key is one tenant. */
export const createTenant = act("createTenant", {
  role: "deployment",
  route: {
    method: "post",
    path: "/v1/admin/tenants",
    tag: "Tenants and keys",
    summary: "Make a tenant and its first key, which is shown this once",
    body: "tenant",
    answer: "The tenant",
    status: 201,
    location: "/v1/admin/tenants/{tenantId}",
  },
  input: () => z.object({ tenant: newTenantSchema }),
  output: () => z.object({ tenantId: z.string(), key: z.string() }),
  run: async (actor, { tenant }, services) => {
    const { name, settings } = tenant;
    checkProviders(settings.providers, services.policy);
    const keyed = await commandedCreation(actor, ["tenant", tenant]);
    const made = await services.tenants.create(name, settings, recordOf(actor), keyed);
    if (made.kind !== "made") throw claimRefused(made.kind);
    return { tenantId: made.tenantId, key: made.key };
  },
});
