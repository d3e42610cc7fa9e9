/** Read the effective transcript of a session, oldest message first. */
import type { ChatMessage } from "../../conversation/message.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readNumberedPage } from "../page.js";
import type { Services } from "../services.js";
import { ownSession } from "./own-session.js";
import { messageFor } from "./turn-for.js";

export async function readTranscript(
  actor: Actor,
  query: PageRequest & { readonly sessionId: string },
  services: Services,
): Promise<Result<Page<ChatMessage>>> {
  const allowed = authorize(actor, "readTranscript");
  if (!allowed.ok) return allowed;
  const own = await ownSession(actor, query.sessionId, services);
  if (!own.ok) return own;
  const read = async (after: number, limit: number) => {
    const page = await services.sessions.messages(actor.tenantId, query.sessionId, after, limit);
    if (!page.ok) return page;
    return ok({ ...page.value, items: page.value.items.map((message) => messageFor(actor, message)) });
  };
  return readNumberedPage(query, read);
}
