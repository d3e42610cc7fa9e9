/** Create a tenant and its first key, which is given out this once. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { problem } from "../../conversation/problem.js";
import { newId } from "../../platform/ids.js";
import { chooseHome, markId } from "../../tenancy/home.js";
import { newTenantSchema } from "../../tenancy/tenant.js";
import { act } from "../act.js";
import { claimRefused, commandedCreation } from "../creation.js";
import { everywhere, servicesOf } from "../home.js";
import type { Services } from "../services.js";
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
    // A new tenant has no secrets that they could name.
    await checkProviders("", settings.providers, services);
    const keyed = await commandedCreation(actor, ["tenant", tenant]);
    // Settled in the first database, so that a retry finds it whatever has room by then.
    const settled = await services.tenants.settleId(markId(newId("ten"), await homeFor(tenant, services)), keyed);
    if (settled.kind !== "settled") throw claimRefused(settled.kind);
    const { tenants } = servicesOf(settled.id, services);
    const made = await tenants.create(settled.id, name, settings, recordOf(actor), keyed);
    if (made.kind !== "made") throw claimRefused(made.kind);
    return { tenantId: made.tenantId, key: made.key };
  },
});

/** The database that is named, or the one that has the most room. */
async function homeFor({ database, settings }: z.infer<typeof newTenantSchema>, services: Services): Promise<number> {
  if (database !== undefined) {
    if (services.databases.includes(database)) return database;
    const message = `there are ${services.databases.join(", ")}`;
    throw problem("invalid", `This deployment has no database ${database}.`, {
      errors: [{ path: "tenant.database", message }],
    });
  }
  const [only, ...others] = services.databases;
  if (only !== undefined && others.length === 0) return only;
  const homes = everywhere(services).map(async ({ database, tenants }) => ({
    database,
    bytes: await tenants.bytes(),
    jurisdiction: services.databaseJurisdictions.get(database),
  }));
  return chooseHome(await Promise.all(homes), settings.jurisdiction);
}
