/** Go on with a roundtable: one more round, a further pass of one, or its end. */
import type { Result } from "../../conversation/problem.js";
import type { ContinueCommand, Roundtable } from "../../roundtable/roundtable.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { answererOf } from "../asks/ask-view.js";
import type { Services } from "../services.js";
import { shownTo } from "./roundtable-view.js";

/** @param input `waitMs`: how long the round is waited for, in milliseconds */
export async function continueRoundtable(
  actor: Actor,
  input: { readonly roundtableId: string; readonly command: ContinueCommand; readonly waitMs: number },
  services: Services,
): Promise<Result<Roundtable>> {
  const allowed = authorize(actor, "continueRoundtable");
  if (!allowed.ok) return allowed;
  const { roundtableId, command, waitMs } = input;
  const { tenantId, revision } = actor;
  const answerer = answererOf(actor);
  const { roundtables } = services;
  const about = { revision, key: commandOf(actor) };
  return shownTo(actor, await roundtables.goOn(tenantId, roundtableId, command, answerer, waitMs, about));
}
