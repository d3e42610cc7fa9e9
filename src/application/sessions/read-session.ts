/** Read a session as it is now. */
import { z } from "zod";
import { sessionSchema } from "../../chat/session.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { isOwn, noSession, sessionFor, sessionInput } from "./own-session.js";

export const readSession = act("readSession", {
  role: "client",
  ofSubject: true,
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/sessions/{sessionId}",
    tag: "Sessions",
    summary: "One session",
    answer: "The session",
  },
  input: () => z.object(sessionInput()),
  output: () => sessionSchema,
  run: async (actor, { sessionId }, { sessions }) => {
    const session = need(await sessions.describe(actor.tenantId, sessionId));
    if (actor.role !== "user") return sessionFor(actor, session);
    const isReached = actor.only?.sessionId === undefined || actor.only.sessionId === sessionId;
    return isReached && isOwn(actor, session) ? sessionFor(actor, session) : need(noSession);
  },
});
