/** The policy of asks that supervision raises. */
import { type AskRequest, answerSchema } from "../asks/ask.js";
import type { Settings } from "./tenant.js";

/** Who answers an ask, how long it waits, and what counts when nobody did: as the tenant's settings say. */
export function askPolicy(
  { answerableBy, timeoutMs, default: decision }: Settings["reviews"] | Settings["approvals"],
  raisedBy: AskRequest["raisedBy"],
): Pick<AskRequest, "answerableBy" | "timeoutMs" | "defaultResponse" | "raisedBy"> {
  return {
    answerableBy,
    timeoutMs,
    raisedBy,
    ...(decision === undefined ? {} : { defaultResponse: answerSchema.parse({ decision }) }),
  };
}
