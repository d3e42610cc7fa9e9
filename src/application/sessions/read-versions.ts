/** Read the versions of a message. The texts of earlier ones are for operators. */
import { type MessageVersion, withoutOriginals } from "../../chat/message-version.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { versionFor } from "./turn-for.js";

export interface MessageRef {
  readonly sessionId: string;
  readonly messageId: string;
}

export async function readVersions(
  actor: Actor,
  { sessionId, messageId }: MessageRef,
  services: Services,
): Promise<Result<MessageVersion[]>> {
  const allowed = authorize(actor, "readVersions");
  if (!allowed.ok) return allowed;
  const versions = await services.sessions.versions(actor.tenantId, sessionId, messageId);
  if (!versions.ok || authorize(actor, "readOriginals").ok) return versions;
  return ok(withoutOriginals(versions.value).map((version) => versionFor(actor, version)));
}
