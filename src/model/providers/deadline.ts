/** One attempt's end: its time-out and the caller's cancellation, as failures of a model. */
import { DeadlineError } from "../deadline.js";
import { type CancelSignal, ModelError } from "../port.js";
import { cancelled } from "../retry.js";

/** As `WithDeadline`, for clients that want the platform's own signal; aborted when `cancel` is, too. */
export type ProviderDeadline = <T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  cancel?: CancelSignal,
) => Promise<T>;

/**
 * Makes one attempt, which may take `timeoutMs` to its last byte.
 * @throws {ModelError} `timeout` or `cancelled`, else whatever the work throws.
 */
export async function attemptWithin<T>(
  withDeadline: ProviderDeadline,
  timeoutMs: number,
  cancel: CancelSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (cancel?.aborted) throw cancelled();
  try {
    return await withDeadline(timeoutMs, work, cancel);
  } catch (error) {
    if (error instanceof DeadlineError) {
      throw new ModelError("timeout", `there was no complete reply within ${timeoutMs} ms`, {}, { cause: error });
    }
    throw cancel?.aborted ? cancelled() : error;
  }
}
