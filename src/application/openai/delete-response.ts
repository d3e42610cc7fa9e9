/** Delete a stored response: the session that was made for it, with everything in it. */
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { removeSession } from "../removal.js";
import type { Services } from "../services.js";
import { findResponse, noResponse } from "./read-response.js";

/** Whoever may have an answer stored may have it forgotten: it could have been asked for without being stored. */
export async function deleteResponse(actor: Actor, id: string, services: Services): Promise<Result<void>> {
  const allowed = authorize(actor, "deleteResponse");
  if (!allowed.ok) return allowed;
  const found = await findResponse(actor, id, services);
  if (!found.ok) return found;
  const { ref, session, request } = found.value;
  const { sessionId, turnId } = ref;
  if (request.ownSession === "goes") return noResponse(id);
  if (request.ownSession === undefined) {
    return refuse(
      "conflict",
      `The response is part of the conversation ${sessionId}, which keeps it. Delete that session, or erase its messages.`,
    );
  }
  if (session.lastTurn?.turnId !== turnId) {
    return refuse("conflict", `Others have gone on in the response's session. Delete ${sessionId} as a session.`);
  }
  await removeSession(actor.tenantId, sessionId, services, { by: recordOf(actor), at: services.now() });
  return ok(undefined);
}
