/** Work that may take so long and no longer, as a port: the platform has the timers. */
import type { CancelSignal } from "./port.js";

/** The time was up before the work was done. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/**
 * Runs work with a signal that is aborted after `timeoutMs`. Rejects with a {@link DeadlineError} once the time is up, whether or not
 * the work heeds the signal.
 */
export type WithDeadline = <T>(timeoutMs: number, work: (signal: CancelSignal) => Promise<T>) => Promise<T>;
