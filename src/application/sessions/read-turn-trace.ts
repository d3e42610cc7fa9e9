/** Read everything that happened in a turn, and the same as a story. */
import type { Result } from "../../conversation/problem.js";
import type { TurnTrace } from "../../routing/trace.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import type { TurnRef } from "./cancel-turn.js";
import { ownSession } from "./own-session.js";

export async function readTurnTrace(actor: Actor, ref: TurnRef, services: Services): Promise<Result<TurnTrace>> {
  const allowed = authorize(actor, "readTurnTrace");
  if (!allowed.ok) return allowed;
  const own = await ownSession(actor, ref.sessionId, services);
  if (!own.ok) return own;
  return services.sessions.turnTrace(actor.tenantId, ref.sessionId, ref.turnId);
}
