/** Make an earlier version of a message count again, as a new version. */
import { z } from "zod";
import { messageVersionSchema } from "../../chat/message-version.js";
import { recordOf } from "../../conversation/actor-record.js";
import { need } from "../../conversation/problem.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { messageInput } from "./read-versions.js";
import { versionFor } from "./turn-for.js";

export const restoreMessage = act("restoreMessage", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/sessions/{sessionId}/messages/{messageId}/versions/{version}/restore",
    tag: "Messages",
    summary: "Let a version of a message hold again, as a new version (operators)",
    description:
      "The rules supervisors of the session look at it once more, as at an edit. What was blocked can't be restored.",
    answer: "The new version",
  },
  input: () => z.object({ ...messageInput(), version: z.coerce.number<string>().int().min(1) }),
  output: () => messageVersionSchema,
  run: async (actor, { sessionId, messageId, version }, { sessions }) => {
    const by = recordOf(actor);
    const restored = await sessions.restoreMessage(actor.tenantId, sessionId, messageId, version, by, commandOf(actor));
    return versionFor(actor, need(restored));
  },
});
