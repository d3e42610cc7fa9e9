/** Edit a reply by the ids of its parts: all operations or none. The edit is a new version, with its author. */

import type { MessageEdit, MessageVersion } from "../../chat/message-version.js";
import { recordOf } from "../../conversation/actor-record.js";
import { ok, type Result } from "../../conversation/problem.js";
import { type Actor, commandOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import type { MessageRef } from "./read-versions.js";
import { versionFor } from "./turn-for.js";

export async function editMessage(
  actor: Actor,
  { sessionId, messageId, edit }: MessageRef & { readonly edit: MessageEdit },
  services: Services,
): Promise<Result<MessageVersion>> {
  const allowed = authorize(actor, "editMessage");
  if (!allowed.ok) return allowed;
  const edited = await services.sessions.editMessage(
    actor.tenantId,
    sessionId,
    messageId,
    edit,
    recordOf(actor),
    commandOf(actor),
  );
  return edited.ok ? ok(versionFor(actor, edited.value)) : edited;
}
