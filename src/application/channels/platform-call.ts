/** Calls of a chat platform's API, with the limits of all outgoing calls. */
import type { PlatformCall } from "../../channels/adapter.js";
import { defined } from "../../conversation/defined.js";
import { DeadlineError } from "../../model/deadline.js";
import { retryAfterMs } from "../../model/retry.js";
import { OutgoingError, type OutgoingPolicy, sendOutgoing, UnansweredError } from "../../platform/outgoing.js";

const timeoutMs = 10_000;

/** A gateway between waited for the platform in vain; the last two are Cloudflare's. */
const lostStatuses = [504, 520, 524];

/** What gave no answer is an answer with status 0. */
export function platformCall(policy: OutgoingPolicy, now: () => number): PlatformCall {
  return async ({ url, method = "POST", headers = {}, body }) => {
    try {
      const request = { method, url, body, timeoutMs, headers: { "content-type": "application/json", ...headers } };
      const { status, text, retryAfter } = await sendOutgoing(request, policy);
      const waitMs = retryAfterMs(retryAfter, now());
      return { status, text, isLost: lostStatuses.includes(status), ...defined({ retryAfterMs: waitMs }) };
    } catch (error) {
      const isLost = error instanceof UnansweredError || error instanceof DeadlineError;
      if (isLost || error instanceof OutgoingError) return { status: 0, text: error.message, isLost };
      throw error;
    }
  };
}
