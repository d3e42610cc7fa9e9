/** Bring a debate together in one text. */
import type { Result } from "../../conversation/problem.js";
import type { Roundtable } from "../../roundtable/roundtable.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { seenBy } from "./roundtable-view.js";

export async function synthesizeRoundtable(
  actor: Actor,
  { roundtableId, waitMs }: { readonly roundtableId: string; readonly waitMs: number },
  services: Services,
): Promise<Result<Roundtable>> {
  const allowed = authorize(actor, "synthesizeRoundtable");
  if (!allowed.ok) return allowed;
  const begun = services.roundtables.synthesize(actor.tenantId, roundtableId, waitMs, commandOf(actor));
  return seenBy(actor, await begun);
}
