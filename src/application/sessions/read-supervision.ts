/** Read what every pass of the supervisors decided in a session, and why. */
import type { z } from "zod";
import type { passViewSchema } from "../../chat/session.js";
import type { Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import { type Page, type PageRequest, readNumberedPage } from "../page.js";
import type { Services } from "../services.js";

export async function readSupervision(
  actor: Actor,
  query: PageRequest & { readonly sessionId: string },
  services: Services,
): Promise<Result<Page<z.infer<typeof passViewSchema>>>> {
  const allowed = authorize(actor, "readSupervision");
  if (!allowed.ok) return allowed;
  const read = (after: number, limit: number) =>
    services.sessions.supervision(actor.tenantId, query.sessionId, after, limit);
  return readNumberedPage(query, read);
}
