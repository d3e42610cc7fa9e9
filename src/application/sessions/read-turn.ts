/** Read a turn as it is now, or wait for it to end. */
import { z } from "zod";
import { turnSchema } from "../../chat/session.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { ownSession } from "./own-session.js";
import { turnFor, turnInput } from "./turn-for.js";

export const readTurn = act("readTurn", {
  role: "client",
  ofSubject: true,
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/sessions/{sessionId}/turns/{turnId}",
    tag: "Turns",
    summary: "One turn, as it is now; `waitMs` waits for it to end",
    answer: "The turn",
  },
  input: () =>
    z.object({
      ...turnInput(),
      /** How long its end is waited for, in milliseconds. */
      waitMs: z.coerce.number<string>().int().min(0).max(300_000).default(0),
    }),
  output: () => turnSchema,
  run: async (actor, { sessionId, turnId, waitMs }, services) => {
    need(await ownSession(actor, sessionId, services));
    return turnFor(actor, need(await services.sessions.turn(actor.tenantId, sessionId, turnId, waitMs)));
  },
});
