/** Cancel a turn that hasn't ended; its open asks are cancelled with it. */
import { z } from "zod";
import { turnSchema } from "../../chat/session.js";
import { recordOf } from "../../conversation/actor-record.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { ownSession } from "./own-session.js";
import { turnFor, turnInput } from "./turn-for.js";

export const cancelTurn = act("cancelTurn", {
  role: "client",
  ofSubject: true,
  route: {
    method: "post",
    path: "/v1/sessions/{sessionId}/turns/{turnId}/cancel",
    tag: "Turns",
    summary: "Cancel a turn that hasn't ended; its open asks are cancelled with it",
    answer: "The turn",
  },
  input: () => z.object(turnInput()),
  output: () => turnSchema,
  run: async (actor, { sessionId, turnId }, services) => {
    need(await ownSession(actor, sessionId, services));
    return turnFor(actor, need(await services.sessions.cancelTurn(actor.tenantId, sessionId, turnId, recordOf(actor))));
  },
});
