/** Edit a reply by the ids of its parts: all operations or none. The edit is a new version, with its author. */
import { z } from "zod";
import { messageEditSchema, messageVersionSchema } from "../../chat/message-version.js";
import { recordOf } from "../../conversation/actor-record.js";
import { need } from "../../conversation/problem.js";
import { commandOf } from "../../tenancy/actor.js";
import { act } from "../act.js";
import { messageInput } from "./read-versions.js";
import { versionFor } from "./turn-for.js";

export const editMessage = act("editMessage", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/sessions/{sessionId}/messages/{messageId}/edits",
    tag: "Messages",
    summary: "Edit a reply by the ids of its parts: all operations or none (operators)",
    description:
      "baseHash is the hash of the version that the operations were made for, as its versions show it; when the message has changed since, nothing is done. Tool calls keep their results, and pending calls survive unless they are dropped by name.",
    body: "edit",
    answer: "The new version",
  },
  input: () => z.object({ ...messageInput(), edit: messageEditSchema() }),
  output: () => messageVersionSchema,
  run: async (actor, { sessionId, messageId, edit }, { sessions }) => {
    const by = recordOf(actor);
    const edited = await sessions.editMessage(actor.tenantId, sessionId, messageId, edit, by, commandOf(actor));
    return versionFor(actor, need(edited));
  },
});
