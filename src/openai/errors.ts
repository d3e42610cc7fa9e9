/** Errors as OpenAI's API words them: `{error: {message, type, param, code}}`, whatever refused. */
import { z } from "zod";
import { defined } from "../conversation/defined.js";
import { type Problem, type ProblemCode, ProblemError, problemCodes } from "../conversation/problem.js";
import { retryFields } from "../http/retry-fields.js";

export const errorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
    detail: z.string().optional().describe("For who operates the caller, where `message` is for an end user."),
  }),
});
export type ErrorBody = z.infer<typeof errorSchema>;

/** A refusal in OpenAI's words. */
export class OpenAiError extends Error {
  override readonly name = "OpenAiError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly param: string | null = null,
    readonly retryAfterSeconds?: number | undefined,
    /** What refused it, where its `message` is for an end user. */
    readonly refused?: Pick<Problem, "detail" | "reached"> | undefined,
  ) {
    super(message);
  }
}

const codes: Readonly<Record<ProblemCode, string>> = {
  bad_request: "invalid_request",
  unauthorized: "invalid_api_key",
  forbidden: "insufficient_permissions",
  not_found: "not_found",
  method_not_allowed: "method_not_allowed",
  not_acceptable: "not_acceptable",
  conflict: "conflict",
  idempotency_conflict: "idempotency_conflict",
  waiting_on_ask: "waiting_on_ask",
  already_closed: "already_closed",
  claimed: "claimed",
  on_hold: "on_hold",
  precondition_failed: "precondition_failed",
  too_large: "request_too_large",
  unsupported_media_type: "unsupported_media_type",
  invalid: "invalid_value",
  too_many_requests: "rate_limit_exceeded",
  queue_full: "rate_limit_exceeded",
  limit_reached: "rate_limit_exceeded",
  internal: "server_error",
  unavailable: "unavailable",
  limits_unavailable: "unavailable",
};

/** What is wrong with a body is a 400 here, and a model is named. */
function ofProblem({ code, detail, errors = [], retryAfterSeconds, userMessage, reached }: Problem): OpenAiError {
  const path = errors[0]?.path ?? "";
  const param = path === "" ? null : paramOf(path);
  if (code === "not_found" && path === "model") return new OpenAiError(404, "model_not_found", detail, "model");
  if (code === "not_found" && path === "previous_response_id") {
    return new OpenAiError(404, "previous_response_not_found", detail, path);
  }
  const message = errors.length === 0 ? detail : `${detail} (${errors.map((one) => one.message).join("; ")})`;
  const status = code === "invalid" ? 400 : problemCodes[code];
  // Programs on top of OpenAI's clients show the message to whoever wrote.
  const refused = userMessage === undefined ? undefined : { detail: message, reached };
  return new OpenAiError(status, codes[code], userMessage ?? message, param, retryAfterSeconds, refused);
}

/** What was refused, by an act or by this face. @throws what was no refusal */
export function refusalOf(error: unknown): OpenAiError {
  if (error instanceof ProblemError) return ofProblem(error.problem);
  if (error instanceof OpenAiError) return error;
  throw error;
}

/** `messages.0.content` as OpenAI writes it: `messages[0].content`. */
export function paramOf(path: string): string {
  return path.replaceAll(/\.(\d+)(?=\.|$)/g, "[$1]");
}

export function bodyOf({ message, status, code, param, refused }: OpenAiError): ErrorBody {
  return { error: { message, type: typeOf(status), param, code, ...defined({ detail: refused?.detail }) } };
}

export function errorResponse(error: OpenAiError, headers: Readonly<Record<string, string>> = {}): Response {
  // What conflicts or waits for a person isn't different a second later, unless it says when: OpenAI's clients try again by themselves otherwise.
  const retry = {
    ...(error.status === 409 && error.retryAfterSeconds === undefined ? { "x-should-retry": "false" } : {}),
    ...retryFields({ retryAfterSeconds: error.retryAfterSeconds, reached: error.refused?.reached }),
  };
  return Response.json(bodyOf(error), { status: error.status, headers: { ...retry, ...headers } });
}

/** How the app shows its own refusals (no key, no JSON, a conflict) on these routes. */
export function problemAsOpenAi(problem: Problem, { requestId }: { readonly requestId: string }): Response {
  return errorResponse(ofProblem(problem), {
    "x-request-id": requestId,
    ...(problem.code === "unauthorized" ? { "www-authenticate": "Bearer" } : {}),
  });
}

function typeOf(status: number): string {
  if (status === 401) return "authentication_error";
  if (status === 403) return "permission_error";
  if (status === 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}
