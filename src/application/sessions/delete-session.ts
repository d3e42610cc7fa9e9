/** Delete a session and all it holds. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { removeSession } from "../removal.js";
import type { Services } from "../services.js";

export async function deleteSession(actor: Actor, sessionId: string, services: Services): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteSession");
  if (!allowed.ok) return allowed;
  const wasThere = await removeSession(actor.tenantId, sessionId, services, {
    by: recordOf(actor),
    at: services.now(),
  });
  return wasThere ? ok(undefined) : refuse("not_found", "There is no such session.");
}
