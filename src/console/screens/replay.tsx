/** A conversation, or one turn of it, answered again by others: what it would come to first, then as an eval. */
import { replaySession } from "../../application/evidence/replay-turns.js";
import { readSession } from "../../application/sessions/read-session.js";
import { defined } from "../../conversation/defined.js";
import type { Eval } from "../../evidence/evaluation.js";
import { Form } from "../parts.js";
import { perform, query, type Screen, type View, type Visit } from "../screen.js";
import { Candidates, wantedIn } from "./eval-form.js";
import { Faults } from "./trial-results.js";

async function show(visit: Visit, estimate?: Eval["estimate"]): Promise<View> {
  const { sessionId = "" } = visit.params;
  const { agent } = await perform(visit, readSession, { sessionId });
  const what = query(visit, "turn") === undefined ? "this conversation" : "this turn";
  return {
    title: `Replay ${what}`,
    body: (
      <>
        <p>
          {`Others answer ${what} again. Tools, questions and approvals answer as they did. Nothing is written or sent, and the customer sees nothing. `}
          <a href={`/console/conversations/${sessionId}`}>Back to the conversation</a>
        </p>
        <Form label={`Replay ${what}`}>
          <Faults visit={visit} />
          <Candidates visit={visit} body="replay" of="agent" stored={`now: ${agent}`} estimate={estimate} />
        </Form>
      </>
    ),
  };
}

function begin(visit: Visit, estimate: boolean) {
  const turn = query(visit, "turn");
  const turns = turn === undefined ? undefined : [turn];
  const replay = { ...wantedIn(visit, "replay"), ...defined({ turns }), estimate };
  return perform(visit, replaySession, { ...visit.params, replay });
}

export const replay: Screen = {
  path: "/conversations/:sessionId/replay",
  needs: replaySession,
  show: (visit) => show(visit),
  posts: {
    estimate: async (visit) => show(visit, (await begin(visit, true)).eval.estimate),
    start: async (visit) => `/console/evals/${(await begin(visit, false)).eval.evalId}`,
  },
};
