/** Read what was said in a session with what supervision decided and who was asked, the newest last. */
import { z } from "zod";
import { conversationSchema } from "../../chat/conversation.js";
import { need } from "../../conversation/problem.js";
import { passForOthers } from "../../supervision/state.js";
import { act } from "../act.js";
import { askFor } from "../asks/ask-view.js";
import { sessionInput } from "./own-session.js";
import { messageFor } from "./turn-for.js";

export const readConversation = act("readConversation", {
  role: "operator",
  reviewers: true,
  route: {
    method: "get",
    path: "/v1/sessions/{sessionId}/conversation",
    tag: "Sessions",
    summary: "What was said last, with what supervision decided and who was asked (operators)",
    description:
      "The newest messages, the newest last, as they count now: originals are read by versions. `earlier` is what `before` has to be for those before them.",
    answer: "Messages with their passes and asks",
  },
  input: () =>
    z.object({
      ...sessionInput(),
      /** A number that an answer gave as `earlier`. */
      before: z.coerce.number().int().min(1).default(Number.MAX_SAFE_INTEGER),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
  output: conversationSchema,
  run: async (actor, { sessionId, before, limit }, services) => {
    const { items, earlier } = need(await services.sessions.conversation(actor.tenantId, sessionId, before, limit));
    return {
      earlier,
      items: items.map(({ turnId, message, passes, asks, feedback }) => ({
        turnId,
        message: messageFor(actor, message),
        passes: passes.map(passForOthers),
        asks: asks.map((ask) => askFor(actor, ask)),
        feedback,
      })),
    };
  },
});
