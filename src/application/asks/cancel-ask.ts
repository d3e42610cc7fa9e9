/** Cancel an ask: the work resumes without an answer. Who may answer it may cancel it; what was answered stays answered. */
import { z } from "zod";
import { askSchema } from "../../asks/ask.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { answererOf, askFor, needOwnAsk } from "./ask-view.js";

export const cancelAsk = act("cancelAsk", {
  role: "client",
  ofSubject: true,
  route: {
    method: "post",
    path: "/v1/asks/{askId}/cancel",
    tag: "Asks",
    summary:
      "Cancel an ask: the work resumes without an answer; cancelling it again is harmless, what was answered is a 409",
    answer: "The ask, closed",
  },
  input: () => z.object({ askId: z.string().max(100) }),
  output: () => askSchema,
  run: async (actor, { askId }, services) => {
    await needOwnAsk(actor, askId, services);
    return askFor(actor, need(await services.asks.cancel(actor.tenantId, askId, answererOf(actor))));
  },
});
