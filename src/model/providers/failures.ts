/**
 * What went wrong on the way to a provider, as a `ModelError`. Messages are ours: a provider's own text may hold the key or the
 * prompt, so of it only error codes from a closed list get through.
 */
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";
import { defined } from "../../conversation/defined.js";
import { ModelError, type ModelErrorKind } from "../port.js";
import { cancelled, retryAfterMs } from "../retry.js";
import { errorFrameShape } from "./chat-shapes.js";
import { refusesTools } from "./tool-refusal.js";

/** Error codes that help the reader and can't hold anything secret. */
const shownCodes: ReadonlySet<string> = new Set([
  "content_filter",
  "context_length_exceeded",
  "insufficient_quota",
  "invalid_api_key",
  "model_not_found",
  "rate_limit_exceeded",
  "server_overloaded",
  "unsupported_parameter",
  "unsupported_value",
]);

/** It comes with a 429 as well, and no wait helps: somebody has to pay. */
const usedUp = "insufficient_quota";
const tooLong = "context_length_exceeded";
/** Most compatible servers say it in words alone. */
const saysTooLong = /maximum context length|context (?:length|window) exceeded|prompt is too long/i;

/** The kind of failure that an HTTP status stands for. */
export function kindOfStatus(status: number): ModelErrorKind {
  if (status === 401 || status === 402 || status === 403) return "unauthorized";
  if (status === 429) return "rate_limited";
  if (status === 408) return "timeout";
  if (status === 409 || status === 425 || status >= 500) return "unavailable";
  return "bad_request";
}

/** The failure that an HTTP answer other than a success stands for. */
function statusFailure(
  status: number,
  headers: Headers | undefined,
  code: unknown,
  nowMs: number,
  options?: ErrorOptions,
): ModelError {
  const waitMs = headers === undefined ? undefined : requestedWaitMs(headers, nowMs);
  const suffix = typeof code === "string" && shownCodes.has(code) ? ` (${code})` : "";
  const details = { status, ...defined({ retryAfterMs: waitMs }), ...(code === tooLong ? { isTooLong: true } : {}) };
  return new ModelError(
    code === usedUp ? "unauthorized" : kindOfStatus(status),
    `the provider answered ${status}${suffix}`,
    details,
    options,
  );
}

/** The failure that an error object in a body or in a stream stands for; undefined when the value is none. */
export function errorFrameFailure(value: unknown): ModelError | undefined {
  // Nearly every event of a stream is none.
  if (typeof value !== "object" || value === null || !("error" in value)) return undefined;
  const parsed = errorFrameShape.safeParse(value);
  if (!parsed.success) return undefined;
  const { error } = parsed.data;
  const code = typeof error === "string" ? undefined : (error.code ?? error.type);
  if (typeof code === "number" && code >= 400 && code < 600) return statusFailure(code, undefined, undefined, 0);
  const suffix = typeof code === "string" && shownCodes.has(code) ? ` (${code})` : "";
  const kind = code === usedUp ? "unauthorized" : code === "rate_limit_exceeded" ? "rate_limited" : "unavailable";
  if (code === tooLong) {
    return new ModelError("bad_request", "the provider broke off (context_length_exceeded)", { isTooLong: true });
  }
  return new ModelError(kind, `the provider broke off with an error${suffix}`);
}

/** Whatever the `openai` package threw while it made the request. */
export function requestFailure(error: unknown, nowMs: number): ModelError {
  if (error instanceof ModelError) return error;
  if (error instanceof APIUserAbortError) return cancelled();
  const cause = { cause: error };
  if (error instanceof APIConnectionTimeoutError)
    return new ModelError("timeout", "the connection timed out", {}, cause);
  if (error instanceof APIConnectionError) {
    return new ModelError("unavailable", "the provider can't be reached", {}, cause);
  }
  if (error instanceof APIError && typeof error.status === "number") {
    const { status, headers, code, message, param } = error;
    if (mayRefuseTools(status) && refusesTools({ message, param: param ?? undefined }))
      return toolsRefused(status, cause);
    const meant = status === 400 && saysTooLong.test(message) ? tooLong : code;
    return statusFailure(status, headers, meant, nowMs, cause);
  }
  return new ModelError("unavailable", "the provider could not be called", {}, cause);
}

/** Some servers answer 404 or 500 where they take no tools; these statuses say something else for certain. */
function mayRefuseTools(status: number): boolean {
  return status >= 400 && ![401, 402, 403, 408, 429].includes(status);
}

/** A request that a provider refused because of its tools: it is of no use to repeat it as it is. */
export function toolsRefused(status: number, options?: ErrorOptions): ModelError {
  const details = { status, toolsRefused: true };
  return new ModelError("bad_request", `the provider answered ${status}: it takes no tools`, details, options);
}

function requestedWaitMs(headers: Headers, nowMs: number): number | undefined {
  const exactMs = headers.get("retry-after-ms");
  if (exactMs !== null && /^\d{1,9}(\.\d+)?$/.test(exactMs)) return Math.ceil(Number(exactMs));
  // A date is meant by the provider's clock, which its Date header shows.
  const theirs = Date.parse(headers.get("date") ?? "");
  return retryAfterMs(headers.get("retry-after"), Number.isNaN(theirs) ? nowMs : theirs);
}
