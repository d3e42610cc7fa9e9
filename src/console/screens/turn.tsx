/** How a turn went: what happened when, as a line of time, and each thing in words. */
import { readTurnTrace } from "../../application/sessions/read-turn-trace.js";
import { Badge } from "../parts.js";
import type { Screen } from "../screen.js";
import { Text } from "../visible-text.js";
import { Debates, TimeLine } from "./time-line.js";

export const turn: Screen = {
  path: "/conversations/:sessionId/turns/:turnId",
  needs: readTurnTrace,
  show: async (visit) => {
    const { sessionId = "", turnId = "" } = visit.params;
    // It has no input of its own that a face could read.
    const { status, entries, story } = await readTurnTrace(visit.actor, { sessionId, turnId }, visit.services);
    return {
      title: "Turn",
      body: (
        <>
          <p>
            <a href={`/console/conversations/${sessionId}`}>Back to the conversation</a> <Badge>{status}</Badge>
          </p>
          <Debates entries={entries} />
          <TimeLine entries={entries} />
          <Text text={story} />
          <p class="hint">That you read this is on record.</p>
        </>
      ),
    };
  },
};
