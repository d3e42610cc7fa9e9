/** Make an earlier version of a session's context count again, as a new one. */

import type { ContextView } from "../../chat/context.js";
import { recordOf } from "../../conversation/actor-record.js";
import type { Result } from "../../conversation/problem.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";

export async function restoreSessionContext(
  actor: Actor,
  { sessionId, version }: { readonly sessionId: string; readonly version: number },
  services: Services,
): Promise<Result<ContextView>> {
  const allowed = authorize(actor, "restoreSessionContext");
  if (!allowed.ok) return allowed;
  return services.sessions.restoreContext(actor.tenantId, sessionId, version, recordOf(actor), commandOf(actor));
}
