/** Pause, resume or stop a roundtable, or have it answer with what was said until now. */
import { recordOf } from "../../conversation/actor-record.js";
import type { Result } from "../../conversation/problem.js";
import type { ControlAction, Roundtable } from "../../roundtable/roundtable.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { seenBy } from "./roundtable-view.js";

/** @param input `waitMs`: how long the synthesis of `answerNow` is waited for, in milliseconds */
export async function controlRoundtable(
  actor: Actor,
  input: { readonly roundtableId: string; readonly action: ControlAction; readonly waitMs: number },
  services: Services,
): Promise<Result<Roundtable>> {
  const allowed = authorize(actor, "controlRoundtable");
  if (!allowed.ok) return allowed;
  const { roundtableId, action, waitMs } = input;
  const { tenantId } = actor;
  const done = services.roundtables.control(tenantId, roundtableId, action, recordOf(actor), waitMs, commandOf(actor));
  return seenBy(actor, await done);
}
