/** Errors as `application/problem+json` (RFC 9457). */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { issuesSchema } from "../conversation/issues.js";
import { type Problem, type ProblemCode, problemCodes } from "../conversation/problem.js";
import type { RefusedRequest } from "./face.js";
import { retryFields } from "./retry-fields.js";

export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.enum(Object.keys(problemCodes)),
  detail: z.string().describe("What was wrong and what to do about it, for who operates the caller."),
  userMessage: z.string().optional().describe("What an end user may be told."),
  requestId: z.string(),
  errors: issuesSchema.optional(),
  askId: z.string().optional(),
  limit: z.string().optional().describe("The limit that was reached."),
  scope: z.string().optional().describe("What that limit is counted for."),
  resetsAt: z.iso.datetime().optional().describe("When it begins anew."),
});

export const problemTitles: Readonly<Record<ProblemCode, string>> = {
  bad_request: "The request can't be read",
  unauthorized: "A valid key is needed",
  forbidden: "The key may not do this",
  not_found: "There is no such thing",
  method_not_allowed: "Not with this method",
  not_acceptable: "No such representation",
  conflict: "It conflicts with what is there",
  idempotency_conflict: "The Idempotency-Key was used before",
  waiting_on_ask: "An answer is awaited first",
  already_closed: "It is closed already",
  claimed: "Somebody else is at it",
  on_hold: "A hold keeps it",
  precondition_failed: "It has changed meanwhile",
  too_large: "Too large",
  unsupported_media_type: "Not this media type",
  invalid: "The input is wrong",
  too_many_requests: "Too many requests",
  queue_full: "Too many messages are waiting",
  limit_reached: "A limit is reached",
  internal: "An internal error",
  unavailable: "Not available now",
  limits_unavailable: "The limits can't be read now",
};

/** What an end user is told where the refusal has no words of its own: nothing of keys, fields or headers. */
const userMessages: Readonly<Record<ProblemCode, string>> = {
  bad_request: "That could not be understood.",
  unauthorized: "Please sign in again.",
  forbidden: "You may not do that.",
  not_found: "That is not there, or not any more.",
  method_not_allowed: "That is not possible here.",
  not_acceptable: "That is not possible here.",
  conflict: "Something else is being done at this moment. Please try again.",
  idempotency_conflict: "That could not be done. Please try again.",
  waiting_on_ask: "A question has to be answered first.",
  already_closed: "That was decided already.",
  claimed: "Somebody else is looking at that already.",
  on_hold: "That can't be deleted now.",
  precondition_failed: "It was changed meanwhile. Please look at it again.",
  too_large: "That is too long. Please send less.",
  unsupported_media_type: "That could not be understood.",
  invalid: "Something about that is not right. Please check it.",
  too_many_requests: "That was too much at once. Please try again in a while.",
  queue_full: "Several messages are waiting already. Please try again in a while.",
  limit_reached: "You have reached a limit. Please try again later.",
  internal: "Something went wrong. Please try again later.",
  unavailable: "This is not available at the moment. Please try again later.",
  limits_unavailable: "This is not available at the moment. Please try again in a few seconds.",
};

export function problemResponse(
  { code, detail, userMessage, errors, retryAfterSeconds, askId, reached }: Problem,
  { request: { url }, requestId }: RefusedRequest,
): Response {
  const status = problemCodes[code];
  const body = {
    // What explains the code is served from the same origin.
    type: new URL(`/docs/errors#${code}`, url).href,
    title: problemTitles[code],
    status,
    code,
    detail,
    userMessage: userMessage ?? userMessages[code],
    requestId,
    ...defined({ errors, askId, limit: reached?.limit, scope: reached?.scope, resetsAt: reached?.resetsAt }),
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/problem+json",
      "x-request-id": requestId,
      ...retryFields({ retryAfterSeconds, reached }),
      ...(code === "unauthorized" ? { "www-authenticate": "Bearer" } : {}),
    },
  });
}
