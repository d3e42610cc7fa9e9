/** Delete a stored response: the session that was made for it, with everything in it. */
import { recordOf } from "../../conversation/actor-record.js";
import { problem } from "../../conversation/problem.js";
import { act } from "../act.js";
import { removeSession } from "../removal.js";
import { refuseHeld } from "../subjects/on-hold.js";
import { findResponse, noResponse } from "./read-response.js";

/** Whoever may have an answer stored may have it forgotten: it could have been asked for without being stored. */
export const deleteResponse = act("deleteResponse", {
  role: "client",
  ofSubject: true,
  run: async (actor, { id }: { readonly id: string }, services) => {
    const { ref, session, request } = await findResponse(actor, id, services);
    const { sessionId, turnId } = ref;
    if (request.ownSession === "goes") throw noResponse(id);
    if (request.ownSession === undefined) {
      const detail = `The response is part of the conversation ${sessionId}, which keeps it. Delete that session, or erase its messages.`;
      throw problem("conflict", detail);
    }
    if (session.lastTurn?.turnId !== turnId) {
      throw problem("conflict", `Others have gone on in the response's session. Delete ${sessionId} as a session.`);
    }
    await refuseHeld(actor.tenantId, { sessionId }, services);
    await removeSession(actor.tenantId, sessionId, services, { by: recordOf(actor), at: services.now() });
  },
});
