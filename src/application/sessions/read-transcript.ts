/** Read the effective transcript of a session, oldest message first. */
import type { ChatMessage } from "../../conversation/message.js";
import type { Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readNumberedPage } from "../page.js";
import type { Services } from "../services.js";

export async function readTranscript(
  actor: Actor,
  query: PageRequest & { readonly sessionId: string },
  services: Services,
): Promise<Result<Page<ChatMessage>>> {
  const allowed = authorize(actor, "readTranscript");
  if (!allowed.ok) return allowed;
  const read = (after: number, limit: number) =>
    services.sessions.messages(actor.tenantId, query.sessionId, after, limit);
  return readNumberedPage(query, read);
}
