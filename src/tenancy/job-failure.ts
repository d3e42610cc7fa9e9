/** Why a job fails, as callers may know it: what was thrown inside stays in the log. */
export const failureReasons = ["database", "object", "refused", "died", "unopened", "unforeseen"] as const;
export type FailureReason = (typeof failureReasons)[number];

const sentences: Readonly<Record<FailureReason, string>> = {
  database: "the database failed",
  object: "an object that it needs failed, or could not be reached",
  refused: "it was refused",
  died: "its process died again and again",
  unopened: "no secret of the deployment opens a sealed text",
  unforeseen: "something went wrong here; the log says what",
};

/** @example failureText("sessions", "database") // "sessions: the database failed" */
export function failureText(step: string, reason: FailureReason): string {
  return `${step}: ${sentences[reason]}`;
}
