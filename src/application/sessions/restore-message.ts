/** Make an earlier version of a message count again, as a new version. */

import type { MessageVersion } from "../../chat/message-version.js";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result } from "../../conversation/problem.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import type { MessageRef } from "./read-versions.js";
import { versionFor } from "./turn-for.js";

export async function restoreMessage(
  actor: Actor,
  { sessionId, messageId, version }: MessageRef & { readonly version: number },
  services: Services,
): Promise<Result<MessageVersion>> {
  const allowed = authorize(actor, "restoreMessage");
  if (!allowed.ok) return allowed;
  const restored = await services.sessions.restoreMessage(
    actor.tenantId,
    sessionId,
    messageId,
    version,
    recordOf(actor),
    commandOf(actor),
  );
  return restored.ok ? ok(versionFor(actor, restored.value)) : restored;
}
