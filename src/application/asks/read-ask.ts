/** Read an ask as it is now. */
import type { Ask } from "../../asks/ask.js";
import { ok, type Result } from "../../conversation/problem.js";
import type { Actor } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { askFor } from "./ask-view.js";

export async function readAsk(actor: Actor, askId: string, services: Services): Promise<Result<Ask>> {
  const allowed = authorize(actor, "readAsk");
  if (!allowed.ok) return allowed;
  const ask = await services.asks.get(actor.tenantId, askId);
  return ask.ok ? ok(askFor(actor, ask.value)) : ask;
}
