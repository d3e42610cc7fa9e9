/** Make an earlier version of a message count again, as a new version. */
import type { MessageVersion } from "../../chat/message-version.js";
import type { Result } from "../../conversation/problem.js";
import { type Actor, authorOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import type { MessageRef } from "./read-versions.js";

export async function restoreMessage(
  actor: Actor,
  { sessionId, messageId, version }: MessageRef & { readonly version: number },
  services: Services,
): Promise<Result<MessageVersion>> {
  const allowed = authorize(actor, "restoreMessage");
  if (!allowed.ok) return allowed;
  return services.sessions.restoreMessage(actor.tenantId, sessionId, messageId, version, authorOf(actor));
}
