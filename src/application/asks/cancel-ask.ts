/** Cancel an ask: the work resumes without an answer. Who may answer it may cancel it. */
import { type Ask, mayAnswer } from "../../asks/ask.js";
import { ok, type Result, refuse } from "../../conversation/problem.js";
import { type Actor, roleOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { askFor } from "./ask-view.js";

export async function cancelAsk(actor: Actor, askId: string, services: Services): Promise<Result<Ask>> {
  const allowed = authorize(actor, "cancelAsk");
  if (!allowed.ok) return allowed;
  const ask = await services.asks.get(actor.tenantId, askId);
  if (!ask.ok) return ask;
  if (!mayAnswer(ask.value, roleOf(actor))) {
    return refuse("forbidden", `Only a key of role ${ask.value.answerableBy} or above may cancel this ask.`);
  }
  const cancelled = await services.asks.cancel(actor.tenantId, askId);
  return cancelled.ok ? ok(askFor(actor, cancelled.value)) : cancelled;
}
