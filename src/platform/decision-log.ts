import type { SupervisionState } from "../supervision/state.js";
import { log } from "./logging.js";

/** The log line of a decision: who said what, in numbers and names. The reasons are in the event, the audit and the record. */
export function logDecision(ids: Readonly<Record<string, string>>, state: SupervisionState): void {
  const { hook, decision, steps, reasons, degraded } = state;
  const failed = steps.filter((step) => step.failed !== undefined).map(({ supervisor }) => supervisor);
  // A plain allow is no news: its record is the pass.
  if (decision === "allow" && failed.length === 0) return;
  log(failed.length > 0 ? "warn" : "info", "supervision.decided", {
    ...ids,
    hook,
    decision,
    supervisors: steps.map(({ supervisor, action }) => `${supervisor}:${action}`).join(","),
    reasons: reasons.length,
    failed: failed.join(","),
    degraded: degraded.join(","),
  });
}
