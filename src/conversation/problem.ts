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
  claimed: 409,
  on_hold: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  too_many_requests: 429,
  queue_full: 429,
  limit_reached: 429,
  internal: 500,
  unavailable: 503,
  limits_unavailable: 503,
} as const;
export type ProblemCode = keyof typeof problemCodes;

export interface ProblemIssue {
  /** Where, as a dotted path into the body, query or parameters. */
  readonly path: string;
  readonly message: string;
}

/** The limit that is in the way, for `limit_reached`. */
export interface ReachedLimit {
  readonly limit: string;
  /** What it is counted for: `subject ana`. */
  readonly scope: string;
  readonly resetsAt?: string | undefined;
  readonly measure: string;
  /** Whole units, of money too. */
  readonly max: number;
  readonly remaining: number;
  /** Nothing where it doesn't begin anew by itself. */
  readonly windowSeconds?: number | undefined;
}

/** A refusal in the domain's words. Its texts are written for the caller and hold nothing internal. */
export interface Problem {
  readonly code: ProblemCode;
  /** What was wrong and what to do about it, for the operator of the caller. */
  readonly detail: string;
  /** What an end user may be told; where it is left out, the face says something general about the code. */
  readonly userMessage?: string | undefined;
  readonly errors?: readonly ProblemIssue[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The ask that is in the way, for `waiting_on_ask`. */
  readonly askId?: string | undefined;
  readonly reached?: ReachedLimit | undefined;
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

/** A refusal to be thrown: `throw problem("not_found", "There is no such ask.")`. */
export function problem(code: ProblemCode, detail: string, more: Omit<Problem, "code" | "detail"> = {}): ProblemError {
  return new ProblemError({ code, detail, ...more });
}

/**
 * The value of a result; what was refused is thrown.
 * @throws {ProblemError}
 * @example
 * const ask = need(await services.asks.get(actor.tenantId, askId));
 */
export function need<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new ProblemError(result.problem);
}

/** What a call comes to, for who goes on after a refusal. Everything else that is thrown goes through. */
export async function attempt<T>(call: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await call());
  } catch (error) {
    if (error instanceof ProblemError) return { ok: false, problem: error.problem };
    throw error;
  }
}

export function refuse(code: ProblemCode, detail: string, more: Omit<Problem, "code" | "detail"> = {}): Result<never> {
  return { ok: false, problem: { code, detail, ...more } };
}
