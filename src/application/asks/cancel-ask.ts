/** Cancel an ask: the work resumes without an answer. Who may answer it may cancel it; what was answered stays answered. */
import type { Ask } from "../../asks/ask.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { answererOf, askFor, ownAsk } from "./ask-view.js";

export async function cancelAsk(actor: Actor, askId: string, services: Services): Promise<Result<Ask>> {
  const allowed = authorize(actor, "cancelAsk");
  if (!allowed.ok) return allowed;
  if (actor.role === "user") {
    const asked = await services.asks.get(actor.tenantId, askId);
    if (!asked.ok) return asked;
    const own = await ownAsk(actor, asked.value, services);
    if (!own.ok) return own;
  }
  const cancelled = await services.asks.cancel(actor.tenantId, askId, answererOf(actor));
  return cancelled.ok ? ok(askFor(actor, cancelled.value)) : cancelled;
}
