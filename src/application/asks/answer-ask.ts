/** Answer an ask: the first answer wins, and the work that waits resumes. */
import type { Ask } from "../../asks/ask.js";
import { ok, type Result } from "../../conversation/problem.js";
import { type Actor, roleOf } from "../../tenancy/actor.js";
import { authorize } from "../../tenancy/authority.js";
import type { Services } from "../services.js";
import { askFor } from "./ask-view.js";

/**
 * Who may answer, and what fits its kind, the ask itself knows; its object decides on both in the same step that closes it.
 * @param input `answer` may be anything: it is checked against the ask's kind
 */
export async function answerAsk(
  actor: Actor,
  { askId, answer }: { readonly askId: string; readonly answer: unknown },
  services: Services,
): Promise<Result<Ask>> {
  const allowed = authorize(actor, "answerAsk");
  if (!allowed.ok) return allowed;
  const ask = await services.asks.answer(actor.tenantId, askId, answer, roleOf(actor));
  return ask.ok ? ok(askFor(actor, ask.value)) : ask;
}
