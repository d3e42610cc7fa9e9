/** Read an ask as it is now. */
import { z } from "zod";
import { askSchema } from "../../asks/ask.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { askFor, ownAsk } from "./ask-view.js";

export const readAsk = act("readAsk", {
  role: "client",
  ofSubject: true,
  reviewers: true,
  route: { method: "get", path: "/v1/asks/{askId}", tag: "Asks", summary: "One ask", answer: "The ask" },
  input: () => z.object({ askId: z.string().max(100) }),
  output: () => askSchema,
  run: async (actor, { askId }, services) => {
    const ask = need(await services.asks.get(actor.tenantId, askId));
    need(await ownAsk(actor, ask, services));
    return askFor(actor, ask);
  },
});
