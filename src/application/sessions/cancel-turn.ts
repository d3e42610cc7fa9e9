/** Cancel a turn that hasn't ended; its open asks are cancelled with it. */

import type { Turn } from "../../chat/session.js";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { ownSession } from "./own-session.js";
import { turnFor } from "./turn-view.js";

export interface TurnRef {
  readonly sessionId: string;
  readonly turnId: string;
}

export async function cancelTurn(actor: Actor, ref: TurnRef, services: Services): Promise<Result<Turn>> {
  const allowed = authorize(actor, "cancelTurn");
  if (!allowed.ok) return allowed;
  const own = await ownSession(actor, ref.sessionId, services);
  if (!own.ok) return own;
  const turn = await services.sessions.cancelTurn(actor.tenantId, ref.sessionId, ref.turnId, recordOf(actor));
  return turn.ok ? ok(turnFor(actor, turn.value)) : turn;
}
