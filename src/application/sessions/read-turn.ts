/** Read a turn as it is now, or wait for it to end. */
import type { Turn } from "../../chat/session.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { ownSession } from "./own-session.js";
import { turnFor } from "./turn-view.js";

export interface TurnQuery {
  readonly sessionId: string;
  readonly turnId: string;
  /** How long its end is waited for, in milliseconds. */
  readonly waitMs: number;
}

export async function readTurn(actor: Actor, query: TurnQuery, services: Services): Promise<Result<Turn>> {
  const allowed = authorize(actor, "readTurn");
  if (!allowed.ok) return allowed;
  const own = await ownSession(actor, query.sessionId, services);
  if (!own.ok) return own;
  const turn = await services.sessions.turn(actor.tenantId, query.sessionId, query.turnId, query.waitMs);
  return turn.ok ? ok(turnFor(actor, turn.value)) : turn;
}
