/** Bring what the seats of a roundtable asked for: at any time, also while a round runs. */
import type { Result } from "../../conversation/problem.js";
import type { ContextResult } from "../../roundtable/context-results.js";
import type { Roundtable } from "../../roundtable/roundtable.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { answererOf } from "../asks/ask-view.js";
import type { Services } from "../services.js";
import { seenBy } from "./roundtable-view.js";

export async function giveContext(
  actor: Actor,
  { roundtableId, results }: { readonly roundtableId: string; readonly results: readonly ContextResult[] },
  services: Services,
): Promise<Result<Roundtable>> {
  const allowed = authorize(actor, "giveContext");
  if (!allowed.ok) return allowed;
  const { tenantId } = actor;
  const given = services.roundtables.giveContext(tenantId, roundtableId, results, answererOf(actor), commandOf(actor));
  return seenBy(actor, await given);
}
