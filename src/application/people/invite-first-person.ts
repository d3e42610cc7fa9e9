/** A link into a tenant's console, made by who runs the deployment: for its first person, and for whoever is locked out. */
import { z } from "zod";
import { personRoles, recordOf } from "../../conversation/actor-record.js";
import { invitationSchema, newPersonSchema } from "../../tenancy/person.js";
import { act } from "../act.js";
import { findTenant } from "../tenants/tenant-view.js";
import { inviteOnce } from "./invitations.js";
import { linkFor } from "./manage-people.js";

export const inviteFirstPerson = act("inviteFirstPerson", {
  role: "deployment",
  route: {
    method: "post",
    path: "/v1/admin/tenants/{tenantId}/people",
    tag: "Tenants and keys",
    summary: "A link that signs somebody in to the tenant's console, once",
    description:
      "Somebody with this address who is there already gets a new link, and is active with the role that is given. The link counts 72 hours.",
    body: "person",
    answer: "The person and the link, shown this once",
    status: 201,
  },
  input: () =>
    z.object({
      tenantId: z.string().max(100),
      person: newPersonSchema.extend({ role: z.enum(personRoles).default("admin") }),
    }),
  output: () => invitationSchema,
  run: async (actor, { tenantId, person }, services) => {
    await findTenant(tenantId, services);
    const known = await (await services.people()).findByEmail(tenantId, person.email);
    if (known === undefined) {
      return inviteOnce(actor, tenantId, services, async (link, claim) => {
        const added = await (await services.people()).add(tenantId, person, link, claim);
        if (added === undefined) throw new Error("somebody with this address was invited at the same time");
        return added;
      });
    }
    const isOut = known.status === "suspended";
    if (isOut || known.role !== person.role) {
      const change = { role: person.role, ...(isOut ? { status: "active" as const } : {}) };
      await (await services.people()).change(tenantId, known.personId, change, recordOf(actor));
    }
    return linkFor(actor, tenantId, known.personId, services);
  },
});
