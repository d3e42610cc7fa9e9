/** Calls of a chat platform's API, with the limits of all outgoing calls. */
import type { PlatformCall } from "../../channels/adapter.js";
import { DeadlineError } from "../../model/deadline.js";
import { retryAfterMs } from "../../model/retry.js";
import { OutgoingError, type OutgoingPolicy, sendOutgoing } from "../../platform/outgoing.js";

const timeoutMs = 10_000;

/** What could not be reached is an answer with status 0: whoever called tries again. */
export function platformCall(policy: OutgoingPolicy, now: () => number): PlatformCall {
  return async ({ url, method = "POST", headers = {}, body }) => {
    try {
      const request = { method, url, body, timeoutMs, headers: { "content-type": "application/json", ...headers } };
      const { status, text, retryAfter } = await sendOutgoing(request, policy);
      const waitMs = retryAfterMs(retryAfter, now());
      return { status, text, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
    } catch (error) {
      if (error instanceof OutgoingError || error instanceof DeadlineError) return { status: 0, text: error.message };
      throw error;
    }
  };
}
