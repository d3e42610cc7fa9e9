/** Answer an ask: the first answer wins, and the work that waits resumes. */
import { z } from "zod";
import { askSchema } from "../../asks/ask.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { answererOf, askFor, needOwnAsk } from "./ask-view.js";

/** Who may answer, and what fits its kind, the ask itself knows; its object decides on both in the same step that closes it. */
export const answerAsk = act("answerAsk", {
  role: "client",
  ofSubject: true,
  reviewers: true,
  route: {
    method: "post",
    path: "/v1/asks/{askId}/answer",
    tag: "Asks",
    summary: "Answer an ask: the first answer wins, the same again is harmless, another is a 409",
    description:
      "human: {response}; context: {result or error, source?}; approval: {decision: once, session or deny, args?}; review: {decision: accept, edit or reject, content with edit}. Each takes note (for staff, on record) and message (supervised, and told to the agent that asked or called, or to whoever's text it was). args are what the call is made with instead: checked against the tool's schema, and supervised again. What somebody else of the staff has claimed is a 409 `claimed`. The work that waits resumes at that very step.",
    body: "answer",
    bodyName: "Answer",
    answer: "The ask, closed",
  },
  input: () => {
    // What fits its kind, the ask knows.
    const answer: z.ZodType<unknown> = z.record(z.string(), z.unknown());
    return z.object({ askId: z.string().max(100), answer });
  },
  output: () => askSchema,
  run: async (actor, { askId, answer }, services) => {
    await needOwnAsk(actor, askId, services);
    return askFor(actor, need(await services.asks.answer(actor.tenantId, askId, answer, answererOf(actor))));
  },
});
