/** That a limit of the tenant's let a call of a model not be made, on its way from the agent to whoever's work it was. */
import { defined } from "../conversation/defined.js";
import type { AgentOutcome } from "./agent-spec.js";
import type { RefusedCall } from "./call-budget.js";

export type LimitRefusal = Pick<RefusedCall, "code" | "userMessage" | "retryAfterMs">;

/** The limit that an agent failed by; nothing where it didn't, or by something else. */
export function limitRefusalOf(outcome: AgentOutcome): LimitRefusal | undefined {
  if (outcome.kind !== "failed") return undefined;
  const { code, userMessage, retryAfterMs } = outcome;
  if (code !== "limit_reached" && code !== "unpriced_model") return undefined;
  return { code, ...defined({ userMessage, retryAfterMs }) };
}
