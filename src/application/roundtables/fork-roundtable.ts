/** Fork a roundtable from one of its rounds: the same debate until then, in a roundtable of its own. */
import { ok, type Result, refuse } from "../../conversation/problem.js";
import { newId } from "../../platform/ids.js";
import type { DebateRecord } from "../../roundtable/debate-record.js";
import type { Roundtable } from "../../roundtable/roundtable.js";
import { keyOf } from "../../stores/reader-store.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { claimId } from "../creation.js";
import type { Services } from "../services.js";
import { seenBy } from "./roundtable-view.js";

export async function forkRoundtable(
  actor: Actor,
  input: { readonly roundtableId: string; readonly round: number; readonly idempotencyKey?: string | undefined },
  services: Services,
): Promise<Result<Roundtable>> {
  const allowed = authorize(actor, "forkRoundtable");
  if (!allowed.ok) return allowed;
  const { tenantId } = actor;
  const { roundtableId, round, idempotencyKey } = input;
  const [definition, record] = await Promise.all([
    services.roundtables.definition(tenantId, roundtableId),
    services.roundtables.record(tenantId, roundtableId),
  ]);
  if (!definition.ok) return definition;
  if (!record.ok) return record;
  // The rounds fork, the world doesn't: what seats did after this round, or in one that was cut short, is done all the same. Read
  // behind the record, so that nothing is missing that a round of it has done.
  const effects = await services.roundtables.effects(tenantId, roundtableId);
  const upTo = recordUpTo(record.value, round);
  if (!upTo.ok) return upTo;
  const request = { fork: roundtableId, round };
  const id = await claimId(actor, newId("rt"), { request, idempotencyKey }, services);
  if (!id.ok) return id;
  const { externalId: _, ...forked } = definition.value;
  const identity = { tenantId, roundtableId: id.value, keyId: keyOf(actor) };
  const made = { ...forked, forkedFrom: { sessionId: roundtableId, round } };
  return seenBy(actor, await services.roundtables.adopt(identity, made, upTo.value, effects));
}

/** What was said until then, and what was asked for until then and is resolved. */
function recordUpTo(record: DebateRecord, round: number): Result<DebateRecord> {
  const rounds = record.rounds.filter((one) => one.round <= round);
  if (rounds.at(-1)?.round !== round) {
    return refuse("invalid", "There is no such round to fork from.", {
      errors: [{ path: "round", message: `the roundtable has ${record.rounds.length} complete rounds` }],
    });
  }
  const requests = record.requests.flatMap((request) => {
    const askers = request.askers.filter((asker) => asker.round <= round);
    // An answer that supervision hasn't seen yet has no text.
    const resolved =
      (request.status === "answered" && request.result !== undefined) || request.status === "unavailable";
    return resolved && askers.length > 0 ? [{ ...request, askers }] : [];
  });
  const { exit: _, synthesis: __, endedAt: ___, ...rest } = record;
  return ok({ ...rest, rounds, requests });
}
