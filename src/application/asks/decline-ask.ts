/** The user whom an ask is for closes it without an answer: it stays open, and nobody answers in their name. */
import { z } from "zod";
import { askSchema } from "../../asks/ask.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { answererOf, askFor, needOwnAsk } from "./ask-view.js";

export const declineAsk = act("declineAsk", {
  role: "client",
  ofSubject: true,
  reviewers: true,
  input: () => z.object({ askId: z.string().max(100) }),
  output: () => askSchema,
  run: async (actor, { askId }, services) => {
    await needOwnAsk(actor, askId, services);
    return askFor(actor, need(await services.asks.hold(actor.tenantId, askId, answererOf(actor), "decline")));
  },
});
