/** Time, as the platform has it. */
import { DeadlineError } from "../model/deadline.js";
import type { CancelSignal } from "../model/port.js";

export function now(): number {
  return Date.now();
}

/** Longer timers overflow 32 bits and fire at once. */
const longestTimerMs = 2_147_483_647;

/**
 * Runs work with a signal that is aborted after `timeoutMs`, or when `parent` is; what it has open when it fails is aborted too.
 * @throws {DeadlineError} once the time is up, whether or not the work heeds the signal.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  parent?: CancelSignal,
): Promise<T> {
  const controller = new AbortController();
  const onParent = () => controller.abort(parent instanceof AbortSignal ? parent.reason : undefined);
  if (parent?.aborted) onParent();
  parent?.addEventListener("abort", onParent);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => {
        const error = new DeadlineError(`no result within ${timeoutMs} ms`);
        // Rejected before the abort, so that what the aborted work throws comes second in the race.
        reject(error);
        controller.abort(error);
      },
      Math.min(longestTimerMs, timeoutMs),
    );
  });
  try {
    return await Promise.race([work(controller.signal), deadline]);
  } catch (error) {
    // Frees the connection of work that failed half-way through an answer.
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener("abort", onParent);
  }
}

export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
