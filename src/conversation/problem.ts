/** The closed list of what can be wrong. Each face maps it once: HTTP to a status, MCP to a result, a channel to a sentence. */
export const problemCodes = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  idempotency_conflict: 409,
  waiting_on_ask: 409,
  already_closed: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  too_many_requests: 429,
  queue_full: 429,
  internal: 500,
  all_seats_failed: 502,
  unavailable: 503,
} as const;
export type ProblemCode = keyof typeof problemCodes;

export interface ProblemIssue {
  /** Where, as a dotted path into the body, query or parameters. */
  readonly path: string;
  readonly message: string;
}

/** A refusal in the domain's words. Its texts are written for the caller and hold nothing internal. */
export interface Problem {
  readonly code: ProblemCode;
  /** What was wrong and what to do about it, for whoever operates the caller. */
  readonly detail: string;
  /** What an end user may be told; where it is left out, the face says something general about the code. */
  readonly userMessage?: string | undefined;
  readonly errors?: readonly ProblemIssue[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The ask that is in the way, for `waiting_on_ask`. */
  readonly askId?: string | undefined;
  /** The roundtable that was made all the same, for `all_seats_failed`. */
  readonly sessionId?: string | undefined;
}

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** A refusal that is thrown, where nobody in between could do anything about it; the app renders it. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

export function refuse(code: ProblemCode, detail: string, more: Omit<Problem, "code" | "detail"> = {}): Result<never> {
  return { ok: false, problem: { code, detail, ...more } };
}
