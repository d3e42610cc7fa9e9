/** Errors as `application/problem+json` (RFC 9457). */
import { z } from "zod";
import { type Problem, type ProblemCode, problemCodes } from "../conversation/problem.js";

export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.enum(Object.keys(problemCodes)),
  detail: z.string(),
  requestId: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  askId: z.string().optional(),
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
  precondition_failed: "It has changed meanwhile",
  too_large: "Too large",
  unsupported_media_type: "Not this media type",
  invalid: "The input is wrong",
  too_many_requests: "Too many requests",
  queue_full: "Too many messages are waiting",
  internal: "An internal error",
  unavailable: "Not available now",
};

/** Thrown by handlers; rendered by the app. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

export function problem(code: ProblemCode, detail: string, more: Omit<Problem, "code" | "detail"> = {}): ProblemError {
  return new ProblemError({ code, detail, ...more });
}

export function problemResponse(
  { code, detail, errors, retryAfterSeconds, askId }: Problem,
  requestId: string,
): Response {
  const status = problemCodes[code];
  const body = {
    type: `https://github.com/conclave/conclave/blob/main/docs/errors.md#${code}`,
    title: problemTitles[code],
    status,
    code,
    detail,
    requestId,
    ...(errors === undefined ? {} : { errors }),
    ...(askId === undefined ? {} : { askId }),
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/problem+json",
      "x-request-id": requestId,
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
      ...(code === "unauthorized" ? { "www-authenticate": "Bearer" } : {}),
    },
  });
}
