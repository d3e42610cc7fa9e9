/** What is read of the restricted record is on record itself: its row stands in the audit before anything is shown. */

import { recordOf } from "../../conversation/actor-record.js";
import { batch } from "../../platform/sql.js";
import { insertRead } from "../../stores/audit-log.js";
import type { Actor } from "../../tenancy/actor.js";
import type { RecordedAct } from "../../tenancy/audit.js";
import type { Services } from "../services.js";

/** @param ownerId the session or run that it is of, or `audit` */
export async function recordRead(
  actor: Actor,
  services: Pick<Services, "db" | "now">,
  { ownerId, ...read }: Pick<RecordedAct, "type" | "workId" | "subject"> & { readonly ownerId: string },
): Promise<void> {
  const act = { decision: "read", reasons: [], actor: recordOf(actor), at: services.now(), ...read };
  await batch(services.db, [insertRead(actor.tenantId, ownerId, act)]);
}
