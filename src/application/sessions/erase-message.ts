/** Erase a message for good: its text in all versions, in asks about it, in memory, and in kept answers. */
import { z } from "zod";
import { messageVersionSchema } from "../../chat/message-version.js";
import { recordOf } from "../../conversation/actor-record.js";
import { need } from "../../conversation/problem.js";
import { act } from "../act.js";
import { eraseDrawn } from "../removal.js";
import { refuseHeld } from "../subjects/on-hold.js";
import { messageInput } from "./read-versions.js";

export const eraseMessage = act("eraseMessage", {
  role: "operator",
  clientMay: true,
  route: {
    method: "post",
    path: "/v1/sessions/{sessionId}/messages/{messageId}/erase",
    tag: "Messages",
    summary:
      "Erase a message for good: its text in all versions, what was asked about it, and what the memory holds of it (operators)",
    description:
      "Who made which version when, and the chain of their digests, stay. A message whose turn hasn't ended can't be erased. Erased again is erased.",
    answer: "The version that says so",
  },
  input: () => z.object(messageInput()),
  output: () => messageVersionSchema,
  run: async (actor, { sessionId, messageId }, services) => {
    await refuseHeld(actor.tenantId, { sessionId }, services);
    const { version, turnId } = need(
      await services.sessions.eraseMessage(actor.tenantId, sessionId, messageId, recordOf(actor)),
    );
    // Turns, asks and edits whose answers are kept under an Idempotency-Key hold the text as well.
    await services.answers.forget(actor.tenantId, sessionId);
    // So do results of evals that keep what was answered.
    await eraseDrawn(actor.tenantId, { sessionId, turnId }, services);
    return version;
  },
});
