/** Delete a session and all it holds. */
import { z } from "zod";
import { recordOf } from "../../conversation/actor-record.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { removeSession } from "../removal.js";
import { refuseHeld } from "../subjects/on-hold.js";
import { noSession, sessionInput } from "./own-session.js";

export const deleteSession = act("deleteSession", {
  role: "operator",
  clientMay: true,
  route: {
    method: "delete",
    path: "/v1/sessions/{sessionId}",
    tag: "Sessions",
    summary: "Delete a session and all it holds",
    answer: "It is gone",
  },
  input: () => z.object(sessionInput()),
  run: async (actor, { sessionId }, services) => {
    await refuseHeld(actor.tenantId, { sessionId }, services);
    const doneBy = { by: recordOf(actor), at: services.now() };
    if (!(await removeSession(actor.tenantId, sessionId, services, doneBy))) need(noSession);
  },
});
