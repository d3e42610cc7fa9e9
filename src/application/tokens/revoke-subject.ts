/** Revoke a subject: all tokens issued for it up to now are void, and what they had open is closed. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { subjectSchema } from "../../conversation/names.js";
import type { WorkClaim } from "../../stores/work-claims.js";
import { tokenIdOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { disconnect } from "../connections.js";
import { doOnce } from "../creation.js";

export const revokeSubject = act("revokeSubject", {
  role: "client",
  route: {
    method: "post",
    path: "/v1/subjects/{subject}/revoke",
    tag: "Tokens",
    summary: "Make all tokens of a subject void that were issued up to now, and close what they have open",
    description: "Tokens that are issued from the next second on count. Revoked again is revoked.",
    answer: "They are void",
  },
  input: () => z.object({ subject: subjectSchema }),
  run: async (actor, { subject }, services) => {
    const revoke = (claim?: WorkClaim) => services.readers.revoke(actor.tenantId, subject, recordOf(actor), claim);
    await doOnce(actor, services, revoke, async () => {});
    await disconnect(actor.tenantId, tokenIdOf(subject), services);
  },
});
