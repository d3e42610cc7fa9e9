/** What of an exception callers may know: a reason of the closed set. */
import { ProblemError } from "../conversation/problem.js";
import { UnopenedError } from "../platform/secrets.js";
import type { FailureReason } from "../tenancy/job-failure.js";

export function failureReasonOf(error: unknown): FailureReason {
  if (error instanceof UnopenedError) return "unopened";
  if (error instanceof ProblemError) return "refused";
  if (!(error instanceof Error)) return "unforeseen";
  if (error.message.startsWith("D1_")) return "database";
  // As the platform marks what a call of an object threw: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
  const isOfObject = "remote" in error || "overloaded" in error || "durableObjectReset" in error;
  return isOfObject ? "object" : "unforeseen";
}
