/** The log of calls to models. */
import type { AttemptEnd } from "../model/retry.js";
import { now } from "../platform/clock.js";
import { log } from "../platform/logging.js";

/** One line for each attempt at a model: that it failed and was tried again is seen nowhere else. */
export function logAttempt(tenantId: string, model: string, attempts: number): (end: AttemptEnd) => void {
  const startedAt = now();
  return (end) => {
    const { outcome } = end;
    const about = { tenantId, subject: model, outcome, attempts, latencyMs: now() - startedAt };
    if (outcome === "answered") log("info", "model.called", { ...about, ...end.usage });
    else log(outcome === "cancelled" ? "info" : "warn", "model.called", { ...about, code: end.failure });
  };
}
