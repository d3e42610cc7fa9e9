/** Edit a reply by the ids of its parts: all operations or none. The edit is a new version, with its author. */
import type { MessageEdit, MessageVersion } from "../../chat/message-version.js";
import type { Result } from "../../conversation/problem.js";
import { type Actor, authorOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import type { MessageRef } from "./read-versions.js";

export async function editMessage(
  actor: Actor,
  { sessionId, messageId, edit }: MessageRef & { readonly edit: MessageEdit },
  services: Services,
): Promise<Result<MessageVersion>> {
  const allowed = authorize(actor, "editMessage");
  if (!allowed.ok) return allowed;
  return services.sessions.editMessage(actor.tenantId, sessionId, messageId, edit, authorOf(actor));
}
