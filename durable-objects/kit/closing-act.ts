/** How an ask was closed, as the tenant's audit records it. */
import { type Ask, hookOf } from "../../src/asks/ask.js";
import type { RecordedAct } from "../../src/tenancy/audit.js";

/** Without its texts. */
export function closingAct(ask: Ask, work: string): RecordedAct {
  const { askId, kind, answer, status, closedBy, closedAt = ask.openedAt, from } = ask;
  const { tool, toolCallId } = from;
  const hook = hookOf(ask);
  return {
    type: status === "open" ? "ask.answered" : `ask.${status}`,
    workId: work,
    ...(hook === undefined ? {} : { hook }),
    decision: answer !== undefined && "decision" in answer ? answer.decision : status,
    actor: closedBy,
    subject: { askId, kind, tool, toolCallId },
    reasons: [],
    at: Date.parse(closedAt),
  };
}
