/** Read a roundtable as it is now, and all that follows from its record. */
import { ok, type Result } from "../../conversation/problem.js";
import type { DebateRecord } from "../../roundtable/debate-record.js";
import { debateOwner, roundtableOf } from "../../roundtable/nested-record.js";
import type { Roundtable } from "../../roundtable/roundtable.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { seenBy } from "./roundtable-view.js";

/** @param query `waitMs`: how long the end of what runs is waited for, in milliseconds */
export async function readRoundtable(
  actor: Actor,
  { roundtableId, waitMs }: { readonly roundtableId: string; readonly waitMs: number },
  services: Services,
): Promise<Result<Roundtable>> {
  const allowed = authorize(actor, "readRoundtable");
  if (!allowed.ok) return allowed;
  if (debateOwner(roundtableId) !== undefined) {
    const record = await services.debates.record(actor.tenantId, roundtableId);
    return record.ok ? ok(roundtableOf(record.value)) : record;
  }
  return seenBy(actor, await services.roundtables.describe(actor.tenantId, roundtableId, waitMs));
}

/** Everything that it holds: what its rounds, thoughts, citations, requests and exports are made of. */
export async function readDebate(
  actor: Actor,
  roundtableId: string,
  services: Services,
): Promise<Result<DebateRecord>> {
  const allowed = authorize(actor, "readRoundtable");
  if (!allowed.ok) return allowed;
  // One within a session's turn or a run is held by that one's object.
  const { debates, roundtables } = services;
  const records = debateOwner(roundtableId) === undefined ? roundtables : debates;
  return records.record(actor.tenantId, roundtableId);
}
