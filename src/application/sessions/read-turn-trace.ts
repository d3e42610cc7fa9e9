/** Read everything that happened in a turn, and the same as a story. */
import type { TurnRef } from "../../chat/turn-request.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { recordRead } from "../audit/record-read.js";

/** What its supervisors, agents and tools said, as they said it. */
export const readTurnTrace = act("readTurnTrace", {
  role: "operator",
  reviewers: true,
  run: async (actor, { sessionId, turnId }: TurnRef, services) => {
    const trace = need(await services.sessions.turnTrace(actor.tenantId, sessionId, turnId));
    await recordRead(actor, services, { type: "originals.read", ownerId: sessionId, workId: turnId, subject: {} });
    return trace;
  },
});
