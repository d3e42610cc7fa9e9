/** Erase a message for good: its text in all versions, in asks about it, in memory, and in kept answers. */
import type { MessageVersion } from "../../chat/message-version.js";
import type { Result } from "../../conversation/problem.js";
import { type Actor, authorOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import type { MessageRef } from "./read-versions.js";

export async function eraseMessage(
  actor: Actor,
  { sessionId, messageId }: MessageRef,
  services: Services,
): Promise<Result<MessageVersion>> {
  const allowed = authorize(actor, "eraseMessage");
  if (!allowed.ok) return allowed;
  const erased = await services.sessions.eraseMessage(actor.tenantId, sessionId, messageId, authorOf(actor));
  // Turns, asks and edits whose answers are kept under an Idempotency-Key hold the text as well.
  if (erased.ok) await services.answers.forget(actor.tenantId, sessionId);
  return erased;
}
