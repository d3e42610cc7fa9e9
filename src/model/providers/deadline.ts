/** One attempt's end: its time-out and the caller's cancellation in one AbortSignal. */
import { type CancelSignal, ModelError } from "../port.js";
import type { Timer } from "../provider.js";
import { cancelled } from "../retry.js";

/** Longer timers overflow 32 bits and fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Runs work that may take `timeoutMs`, to its last byte. Work that doesn't hear the signal is left behind.
 * @throws {ModelError} `timeout` or `cancelled`, else whatever the work throws.
 */
export async function withDeadline<T>(
  timer: Timer,
  timeoutMs: number,
  cancel: CancelSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (cancel?.aborted) throw cancelled();
  const controller = new AbortController();
  let stopListening = () => {};
  const ended = new Promise<never>((_, reject) => {
    const end = (error: ModelError) => {
      // Rejected before the abort, so that what the aborted work throws comes second in the race.
      reject(error);
      controller.abort();
    };
    const stopTimer = timer(clamp(timeoutMs), () =>
      end(new ModelError("timeout", `there was no complete reply within ${timeoutMs} ms`)),
    );
    const onCancel = () => end(cancelled());
    cancel?.addEventListener("abort", onCancel);
    stopListening = () => {
      stopTimer();
      cancel?.removeEventListener("abort", onCancel);
    };
  });
  try {
    return await Promise.race([ended, work(controller.signal)]);
  } finally {
    stopListening();
    // Frees the connection of an attempt that failed half-way through its body; a finished one doesn't mind.
    controller.abort();
  }
}

function clamp(timeoutMs: number): number {
  return Math.min(LONGEST_TIMER_MS, Math.max(0, timeoutMs));
}
