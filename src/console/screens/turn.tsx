/** How a turn went: what happened when, as a line of time, and each thing in words. */
import { readTurnTrace } from "../../application/sessions/read-turn-trace.js";
import type { Screen } from "../screen.js";
import { Story } from "./time-line.js";

export const turn: Screen = {
  path: "/conversations/:sessionId/turns/:turnId",
  needs: readTurnTrace,
  show: async (visit) => {
    const { sessionId = "", turnId = "" } = visit.params;
    // It has no input of its own that a face could read.
    const trace = await readTurnTrace(visit.actor, { sessionId, turnId }, visit.services);
    return {
      title: "Turn",
      body: <Story trace={trace} back={[`/console/conversations/${sessionId}`, "the conversation"]} />,
    };
  },
};
