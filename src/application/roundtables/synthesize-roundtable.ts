/** Bring a debate together in one text. */
import type { Result } from "../../conversation/problem.js";
import type { Roundtable } from "../../roundtable/roundtable.js";
import type { Actor } from "../../tenancy/actor.js";
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
  return seenBy(actor, await services.roundtables.synthesize(actor.tenantId, roundtableId, waitMs));
}
