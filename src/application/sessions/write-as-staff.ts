/** Write to a conversation as staff, in the place of its agent. */
import { z } from "zod";
import { sendMessageSchema, turnSchema } from "../../chat/session.js";
import { recordOf } from "../../conversation/actor-record.js";
import { need } from "../../conversation/problem.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { sessionInput } from "./own-session.js";
import { turnFor } from "./turn-for.js";

export const writeAsStaff = act("writeAsStaff", {
  role: "operator",
  reviewers: true,
  route: {
    method: "post",
    path: "/v1/sessions/{sessionId}/staff-messages",
    tag: "Sessions",
    summary: "Write to a conversation that is held (operators)",
    description:
      "The rules look at it as they do at an edit. It is the reply to all that was written since staff's last words, and where nothing was, a turn of its own; everybody who follows those turns gets it, in a chat channel too.",
    operationId: "writeAsStaff",
    body: "message",
    status: 201,
    answer: "The turn whose reply it is",
  },
  input: () => z.object({ ...sessionInput(), message: sendMessageSchema.pick({ content: true }) }),
  output: () => turnSchema,
  run: async (actor, { sessionId, message }, { sessions }) => {
    const by = recordOf(actor);
    const written = await sessions.writeAsStaff(actor.tenantId, sessionId, message.content, by, commandOf(actor));
    return turnFor(actor, need(written));
  },
});
