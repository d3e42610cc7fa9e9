/** Cancel a turn that hasn't ended; its open asks are cancelled with it. */
import type { Turn } from "../../chat/session.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { withAsksFor } from "../asks/ask-view.js";
import type { Services } from "../services.js";

export interface TurnRef {
  readonly sessionId: string;
  readonly turnId: string;
}

export async function cancelTurn(actor: Actor, ref: TurnRef, services: Services): Promise<Result<Turn>> {
  const allowed = authorize(actor, "cancelTurn");
  if (!allowed.ok) return allowed;
  const turn = await services.sessions.cancelTurn(actor.tenantId, ref.sessionId, ref.turnId);
  return turn.ok ? ok(withAsksFor(actor, turn.value)) : turn;
}
